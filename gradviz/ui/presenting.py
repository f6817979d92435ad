"""The window while presenting: full screen without menus, toolbar or status bar, the graph with the sentence and the
current line below it; panels appear beside it on request. `ScreenCover` turns the screen black, or dims
everything except the surroundings of the pointer.

`State.stage` says what is shown, see `session.presenting`; the keys are rows of `commands.learning`; the large
sentence belongs to the explanation panel. `SpeakerNotes` is a separate window for another screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QCursor,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRadialGradient,
    QScreen,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QTextBrowser, QToolBar, QVBoxLayout, QWidget

from gradviz.commands.learning import PRESENT_ROWS, STAGE_ROWS
from gradviz.session import moves
from gradviz.session.presenting import Stage, notes_of_step
from gradviz.session.state import MOMENT, Slice, State
from gradviz.ui import look

if TYPE_CHECKING:
    from gradviz.ui.window import MainWindow

LOOK = 33  # milliseconds between checks of the pointer's position
RADIUS = 0.17  # radius of the spotlight as a share of the window's height
UNBOUNDED = 16_777_215  # Qt's maximum size of a widget
SPOKEN = Slice("view", "traced", "note", "predict", *MOMENT)
NOTES = QSize(760, 620)  # size of the speaker's window
NO_NOTES = "No notes here. Comments above a line, or behind it, are the notes of its steps."
DIM = 150  # darkness around the spotlight, out of 255


class ScreenCover(QWidget):
    """Black, or dark with a hole that follows the pointer; the mouse works through it."""

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
        """Show black, a spotlight or nothing."""
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
        """Cover the whole window."""
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
        """Clicking the black screen ends it."""
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


class SpeakerNotes(QWidget):
    """What the speaker sees and the audience does not: this step, the next one, the comments on the line, the time. It
    opens on another screen if there is one, and its keys work as in the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, Qt.WindowType.Window)
        self.setWindowTitle("Speaker Notes – GradViz")
        self._window = window
        self._since = time.monotonic()
        self.clock, self.step, self.next = QLabel(), QLabel(), QLabel()
        self.notes = QTextBrowser()
        self.swap = QPushButton("Swap &Screens")
        self.swap.setToolTip("Present on this screen, and show the notes on the other one.")
        self.swap.clicked.connect(self._swap)
        theme = window.theme
        for text, size, name in (
            (self.step, 17.0, "This step"),
            (self.next, 17.0, "Next step"),
            (self.notes, 22.0, "Notes"),
        ):
            text.setFont(look.sans(theme, size))
            text.setAccessibleName(name)
            text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for label in (self.step, self.next):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.clock.setFont(look.mono(theme, 22.0))
        self.clock.setAccessibleName("Time since presenting began")
        head = QHBoxLayout()
        head.addWidget(self.clock, 1)
        head.addWidget(self.swap)
        column = QVBoxLayout(self)
        column.addLayout(head)
        column.addWidget(self.step)
        column.addWidget(self.notes, 1)
        column.addWidget(self.next)
        self.addActions(window.commands.named(row.id for row in (*PRESENT_ROWS, *STAGE_ROWS)))
        self._leave = window.store.watch(SPOKEN, self._show)
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self._tick()
        self._show(window.store.state, window.store.state)
        self._place()

    def _show(self, _: State, state: State) -> None:
        self.notes.setPlainText(notes_of_step(state) or NO_NOTES)
        if state.trace is None or not state.steps:
            self.step.setText("")
            self.next.setText("")
            return
        from gradviz.trace.words.explain import explain_fold  # not before the window was painted

        every, after = state.view.every_step, moves.walked(state, 1)
        now = explain_fold(state.trace, state.cursor, every)
        self.step.setText(f"{state.cursor:,} of {state.steps:,} · {now.title}\n{now.sentence}")
        if after > state.steps or not now.next:
            self.next.setText("This is the last step.")
        else:
            coming = explain_fold(state.trace, after, every)
            self.next.setText(f"Next: {coming.title}\n{coming.sentence}")

    def _tick(self) -> None:
        seconds = int(time.monotonic() - self._since)
        self.clock.setText(f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}  ·  {time.strftime('%H:%M')}")

    def _others(self) -> list[QScreen]:
        """The screens without the presentation."""
        return [screen for screen in QGuiApplication.screens() if screen is not self._window.window().screen()]

    def _place(self) -> None:
        others = self._others()
        self.swap.setVisible(bool(others))
        self._move_to((others or QGuiApplication.screens())[0])

    def _move_to(self, screen: QScreen) -> None:
        room = screen.availableGeometry()
        size = QSize(NOTES).boundedTo(room.size())
        self.setGeometry(QRect(room.center() - QPoint(size.width() // 2, size.height() // 2), size))

    def _swap(self) -> None:
        """With two screens, swap their windows; with more, present on the next one."""
        for screen in self._others()[:1]:
            stage = self._window.window()
            left = stage.screen()  # the move takes effect later
            stage.setWindowState(stage.windowState() & ~Qt.WindowState.WindowFullScreen)
            stage.setScreen(screen)
            stage.move(screen.availableGeometry().topLeft())
            stage.setWindowState(stage.windowState() | Qt.WindowState.WindowFullScreen)
            self._move_to(left)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing the window is the same as pressing its key."""
        self._leave()
        stage = self._window.store.state.stage
        self._window.store.set_stage(replace(stage, notes=False))
        super().closeEvent(event)


class Presenter:
    """Turns a window into a stage and back."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._panel_area = window.panel_area
        self._cover = ScreenCover(window, lambda: window.commands.do("present.black"))
        self._notes: SpeakerNotes | None = None
        self._was, self._size = Qt.WindowState.WindowNoState, window.size()

    def show_stage(self, before: Stage, after: Stage) -> None:
        """Start, change or end presenting."""
        if before.on != after.on:
            self._turn(after.on)
        self._panel_area.show_stage(after)
        if before.on != after.on and after.on:
            self._panel_area.panel("canvas").focus_target.setFocus()
        self._cover.show_stage(after)
        self._show_notes(after.on and after.notes)

    def _show_notes(self, on: bool) -> None:
        if on and self._notes is None:
            self._notes = SpeakerNotes(self._window)
            self._notes.show()
        elif not on and self._notes is not None:
            notes, self._notes = self._notes, None
            notes.close()
            notes.deleteLater()

    def cover(self) -> None:
        """The window was resized."""
        self._cover.cover()

    def _turn(self, on: bool) -> None:
        """The menus stay in place with zero height, because hidden menus would take their shortcuts with them."""
        window = self._window
        window.menuBar().setMaximumHeight(0 if on else UNBOUNDED)
        for tools in window.findChildren(QToolBar):
            tools.setVisible(not on)
        window.statusBar().setVisible(not on)
        screen = window.window()  # the window around the tabs, or the same window
        if on:
            self._was, self._size = screen.windowState(), screen.size()
            screen.setWindowState(self._was | Qt.WindowState.WindowFullScreen)
        else:
            screen.setWindowState(self._was & ~Qt.WindowState.WindowFullScreen)
            if self._was == Qt.WindowState.WindowNoState:
                screen.resize(self._size)  # which a move to another screen forgets
