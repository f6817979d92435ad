"""The window while it presents: full screen without menus, tools and status, the graph over all of it with the sentence
and the line of code under it; panels come beside it when they are asked for. `Curtain` lies over everything and turns
the screen black, or dims all but what is around the pointer.

What is shown is `State.stage`, see `session.presenting`; the keys are rows of `commands.presenting`; the large sentence
is the explanation panel's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QCursor, QMouseEvent, QPainter, QPaintEvent, QRadialGradient
from PySide6.QtWidgets import QMainWindow, QToolBar, QWidget

from gradviz.session.presenting import Stage

if TYPE_CHECKING:
    from gradviz.ui.panel_area import PanelArea

LOOK = 33  # milliseconds between two looks at where the pointer is
RADIUS = 0.17  # of the window's height that the spotlight reaches
UNBOUNDED = 16_777_215  # Qt's largest size of a widget
DIM = 150  # how dark it is around the spotlight, of 255


class Curtain(QWidget):
    """Black, or dark with a hole that follows the pointer; the mouse works through the hole's curtain."""

    def __init__(self, window: QWidget, lift: Callable[[], None]) -> None:
        super().__init__(window)
        self.setAccessibleName("Black screen or spotlight")
        self._window = window
        self._lift = lift
        self._black = False
        self._at = QPoint()
        self._timer = QTimer(self, interval=LOOK)
        self._timer.timeout.connect(self._follow)
        self.hide()

    def show_stage(self, stage: Stage) -> None:
        """Black, a spotlight or nothing."""
        self._black = stage.black
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not stage.black)
        self.setCursor(Qt.CursorShape.BlankCursor if stage.black else Qt.CursorShape.ArrowCursor)
        if stage.spotlight and not stage.black:
            self._at = self.mapFromGlobal(QCursor.pos())
            self._timer.start()
        else:
            self._timer.stop()
        self.setVisible(stage.on and (stage.black or stage.spotlight))
        self.cover()
        self.update()

    def cover(self) -> None:
        """Lie over the whole window."""
        self.setGeometry(self._window.rect())
        self.raise_()

    @property
    def _reach(self) -> int:
        return round(self.height() * RADIUS)

    def _hole(self) -> QRect:
        reach = self._reach
        return QRect(self._at.x() - reach, self._at.y() - reach, 2 * reach, 2 * reach)

    def _follow(self) -> None:
        at = self.mapFromGlobal(QCursor.pos())
        if at != self._at:
            before, self._at = self._hole(), at
            self.update(before)
            self.update(self._hole())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the black screen turns it on again."""
        self._lift()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self._black:
                painter.fillRect(event.rect(), Qt.GlobalColor.black)
                return
            light = QRadialGradient(QPointF(self._at), max(self._reach, 1))
            for part, dark in ((0.0, 0), (0.86, 0), (1.0, DIM)):
                light.setColorAt(part, QColor(0, 0, 0, dark))
            painter.fillRect(event.rect(), light)


class Presenter:
    """Turns a window into a stage and back."""

    def __init__(self, window: QMainWindow, panel_area: PanelArea, lift: Callable[[], None]) -> None:
        self._window = window
        self._panel_area = panel_area
        self._curtain = Curtain(window, lift)
        self._was = Qt.WindowState.WindowNoState

    def show_stage(self, before: Stage, after: Stage) -> None:
        """Begin, change or end presenting."""
        if before.on != after.on:
            self._turn(after.on)
        self._panel_area.show_stage(after)
        if before.on != after.on and after.on:
            self._panel_area.panel("canvas").focus_target.setFocus()
        self._curtain.show_stage(after)

    def cover(self) -> None:
        """The window has another size."""
        self._curtain.cover()

    def _turn(self, on: bool) -> None:
        """The menus stay where they are, without height: hidden ones would take their shortcuts with them."""
        window = self._window
        window.menuBar().setMaximumHeight(0 if on else UNBOUNDED)
        for tools in window.findChildren(QToolBar):
            tools.setVisible(not on)
        window.statusBar().setVisible(not on)
        screen = window.window()  # which has tabs, or is the same
        if on:
            self._was = screen.windowState()
            screen.setWindowState(self._was | Qt.WindowState.WindowFullScreen)
        else:
            screen.setWindowState(self._was & ~Qt.WindowState.WindowFullScreen)
