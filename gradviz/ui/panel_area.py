"""How the window is laid out: cards in splitters, made from the panel rows, and their sizes at first start. The cards
are there at once with their titles; a panel is made when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from gradviz.commands.panels import PANELS, ROW, PanelRow
from gradviz.session.presenting import Stage
from gradviz.session.state import State
from gradviz.ui.panels.panel import Context, Panel
from gradviz.ui.theme import Theme


class Card(QFrame):
    """One page shows a plain title, several show tabs. Until a page is put in, its place is empty."""

    turned = Signal(int)  # another page is in front

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
        self._stack.currentChanged.connect(self.turned)
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

    def has_in_front(self, page: QWidget) -> bool:
        """Whether this page is not behind another one."""
        return self._stack.currentWidget() is page

    def reveal(self, page: QWidget) -> None:
        """Bring this page to the front."""
        self.tabs.setCurrentIndex(self._stack.indexOf(page))
        self._stack.setCurrentWidget(page)


LEFT = (0.27, 240, 560)  # share of the window's width at first start, at least, at most
RIGHT = (0.205, 190, 400)
CORNER = (0.25, 200, 520)
BOTTOM = (0.24, 150, 240)  # of its height
MARGINS = (8, 8, 8, 2)
GAP = 7


def _share(whole: int, part: float, least: int, most: int) -> int:
    return min(max(round(whole * part), least), most)


def _made(row: PanelRow, context: Context) -> Panel:
    """A panel; its module is loaded now: before the first paint the window needs few of them."""
    module, _, name = row.made_by.partition(".")
    panel = getattr(import_module(f"gradviz.ui.panels.{module}"), name)(context)
    assert isinstance(panel, Panel)
    return panel


def _tab(row: PanelRow) -> int:
    """The place of a panel among the tabs of its card."""
    return [other for other in PANELS if other.place == row.place].index(row)


class PanelArea:
    """The panels by their id, the cards by their place, and the widget that holds them all."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._plots = 0
        self._sizes: dict[str, QByteArray] = {}  # of the splitters, before presenting
        self.made: dict[str, Panel] = {}  # those that are there; the window completes them after its first paint
        self._unseen: dict[str, State] = {}  # what panels that are behind others have shown last
        self.cards = {place: self._card(place) for place in dict.fromkeys(row.place for row in PANELS)}
        middle = QSplitter(Qt.Orientation.Horizontal)
        middle.addWidget(self.cards["left"])
        middle.addWidget(self._centre())
        middle.addWidget(self.cards["right"])
        bottom = QSplitter(Qt.Orientation.Horizontal)
        bottom.addWidget(self.cards["bottom"])
        bottom.addWidget(self.cards["corner"])
        whole = QSplitter(Qt.Orientation.Vertical)
        whole.addWidget(middle)
        whole.addWidget(bottom)
        self.splitters = {"middle": middle, "bottom": bottom, "whole": whole}
        for splitter, stretch in ((middle, 1), (bottom, 0), (whole, 0)):
            splitter.setStretchFactor(stretch, 1)
            splitter.setHandleWidth(7)
            splitter.setChildrenCollapsible(False)
        self.root = QWidget()
        self._column = QVBoxLayout(self.root)
        self._column.setContentsMargins(*MARGINS)
        self._column.addWidget(whole)

    @property
    def panels(self) -> Mapping[str, Panel]:
        """All panels by their id."""
        return {row.id: self.panel(row.id) for row in PANELS}

    def panel(self, name: str) -> Panel:
        """A panel; it is made where it is not yet there, and shows the state as it is."""
        state = self._context.shell.store.state
        if name not in self.made:
            panel = self.made[name] = _made(ROW[name], self._context)
            panel.show_state(state, state)
            self.cards[ROW[name].place].put(_tab(ROW[name]), panel)
        elif name in self._unseen:
            self.made[name].show_state(self._unseen.pop(name), state)
        return self.made[name]

    def show_state(self, before: State, after: State) -> None:
        """Let those panels show it that show something of what has changed; one that fails does not keep the others
        from it. One that is behind another has time until it comes to the front."""
        failed: list[Exception] = []
        for name, panel in tuple(self.made.items()):
            if not panel.shows.differs(before, after):
                continue
            if not self.cards[ROW[name].place].has_in_front(panel):
                self._unseen.setdefault(name, before)
                continue
            try:
                panel.show_state(self._unseen.pop(name, before), after)
            except Exception as error:  # noqa: BLE001 it is raised below
                failed.append(error)
        if failed:
            raise failed[0]

    def _come_to_front(self, place: str, tab: int) -> None:
        """A panel is seen again: it shows what it has missed."""
        name = next(row.id for row in PANELS if row.place == place and _tab(row) == tab)
        if name in self._unseen:
            self.panel(name)

    def set_theme(self, theme: Theme) -> None:
        """Give the panels this look, and those that will be made."""
        self._context = replace(self._context, theme=theme)
        for panel in self.made.values():
            panel.set_theme(theme)

    def _card(self, place: str) -> Card:
        card = Card(tuple(row.title for row in PANELS if row.place == place))
        card.header.setVisible(place not in ("centre", "under"))
        card.turned.connect(partial(self._come_to_front, place))
        return card

    def _centre(self) -> QWidget:
        """The graph with the explanation under it."""
        box = QWidget()
        self._centre_column = QVBoxLayout(box)
        self._centre_column.setContentsMargins(0, 0, 0, 0)
        self._centre_column.setSpacing(GAP)
        self._centre_column.addWidget(self.cards["centre"], 1)
        self._centre_column.addWidget(self.cards["under"])
        return box

    def spread(self, width: int, height: int) -> None:
        """The sizes at first start, for a window of this size."""
        left, right, corner = (_share(width, *one) for one in (LEFT, RIGHT, CORNER))
        low = _share(height, *BOTTOM)
        self.splitters["middle"].setSizes([left, max(1, width - left - right), right])
        self.splitters["bottom"].setSizes([max(1, width - corner), corner])
        self.splitters["whole"].setSizes([max(1, height - low), low])

    def show_stage(self, stage: Stage) -> None:
        """While presenting only the graph, the sentence, and the panels that are asked for; no margins."""
        if stage.on and not self._sizes:
            self._sizes = {name: splitter.saveState() for name, splitter in self.splitters.items()}
        for name in stage.panels:
            self.bring(name)
        shown = {ROW[name].place for name in stage.panels} if stage.on else {*self.cards}
        for place in ("left", "right", "bottom", "corner"):
            self.cards[place].setVisible(place in shown)
        self.splitters["bottom"].setVisible(bool(shown & {"bottom", "corner"}))
        margins = (0, 0, 0, 0) if stage.on else MARGINS
        self._column.setContentsMargins(*margins)
        self._centre_column.setSpacing(0 if stage.on else GAP)
        if stage.on:
            self.spread(self.root.width(), self.root.height())
        else:
            for name, sizes in self._sizes.items():
                self.splitters[name].restoreState(sizes)
            self._sizes = {}

    def bring(self, name: str) -> None:
        """Bring a panel to the front of its card."""
        self.cards[ROW[name].place].reveal(self.panel(name))

    def show_plots(self, state: State) -> None:
        """The tab says how many plots there are; the first that a snippet makes come to the front by themselves."""
        number = len(state.run.figures)
        if number == self._plots:
            return
        row = ROW["plots"]
        self.cards[row.place].tabs.setTabText(_tab(row), f"{row.title} ({number})" if number else row.title)
        if not self._plots:
            self.bring("plots")
        self._plots = number

    def reveal(self, name: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        self.bring(name)
        self.panel(name).focus_target.setFocus(Qt.FocusReason.ShortcutFocusReason)
