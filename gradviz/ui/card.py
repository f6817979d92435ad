"""A card: the rounded frame around one or several panels, with their titles as tabs. All panels stand in cards."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QTabBar, QVBoxLayout, QWidget


class Card(QFrame):
    """One page shows a plain title, several show tabs. Until a page is put in, its place is empty."""

    def __init__(self, titles: tuple[str, ...]) -> None:
        super().__init__()
        self.setObjectName("card")
        self._stack = QStackedWidget()
        self.header = QWidget()
        self.header.setObjectName("cardHeader")
        self.header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self.header)
        row.setContentsMargins(8, 2, 10, 0)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self.tabs.setAccessibleName(", ".join(titles))
        self.title = QLabel(titles[0])
        self.title.setObjectName("cardTitle")
        self.title.setContentsMargins(7, 6, 0, 6)
        for title in titles:
            self.tabs.addTab(title)
            self._stack.addWidget(QWidget())
        row.addWidget(self.tabs)
        row.addWidget(self.title)
        row.addStretch(1)
        self.tabs.setVisible(len(titles) > 1)
        self.title.setVisible(len(titles) == 1)
        self.tabs.currentChanged.connect(self._stack.setCurrentIndex)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self._stack, 1)

    def put(self, place: int, page: QWidget) -> None:
        """Put a page in its place, which was empty."""
        front = self._stack.currentIndex()
        empty = self._stack.widget(place)
        self._stack.insertWidget(place, page)
        if empty is not None:
            self._stack.removeWidget(empty)
            empty.deleteLater()
        self._stack.setCurrentIndex(front)

    def reveal(self, page: QWidget) -> None:
        """Bring this page to the front."""
        self.tabs.setCurrentIndex(self._stack.indexOf(page))
        self._stack.setCurrentWidget(page)
