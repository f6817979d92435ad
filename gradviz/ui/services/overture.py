"""Plays the overture of `session.overture` on the canvas: a timer moves the cursor, a caption in place of the sentence
says what is visible, and rings spread from the loss where `backward()` begins. Any key, click or turn of the wheel ends
it, as does any other change of the state; it then counts as seen and is not played again. Without motion there is no
overture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from gradviz.session import moves
from gradviz.session.overture import Beat, Overture, begins, overture
from gradviz.session.state import State
from gradviz.session.store import Store
from gradviz.ui import look
from gradviz.ui.canvas.camera import animated
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.panel_area import PanelArea
    from gradviz.ui.panels.graph import GraphPanel

FRAME = 33  # milliseconds between pictures
PATIENCE = 3000  # milliseconds that a layout may take; a run whose layout takes longer gets no overture
REACH = 46  # pixels that a ring spreads
ENDING = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)
WORDS = {
    "forward": ("Forward", "Each operation computes a value, and remembers what its gradient will need."),
    "pulse": ("The loss", "The backward pass begins at {}: its gradient goes to the node that made it."),
    "backward": ("Backward", "Each node passes the gradient on to its inputs, until it is in the leaves."),
}
SKIP = "Any key ends this."
AT_REST = "This is the first backward step. Step (F10) goes on, Step Back (F9) shows how it came to this."


def application() -> QApplication:
    """The object through which all keys and clicks pass."""
    return cast(QApplication, QApplication.instance())


class Rings(QWidget):
    """Rings over the canvas that spread from a card. The mouse works through them."""

    def __init__(self, view: QWidget, theme: Theme) -> None:
        super().__init__(view)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme = theme
        self._over = -1.0  # their progress; below 0 there are none
        self._source = QRect()
        self.setGeometry(view.rect())
        self.show()

    def pulse(self, source: QRect, over: float) -> None:
        """Start at this place."""
        if (source, over) != (self._source, self._over):
            self.update(self._place())
            self._source, self._over = source, over
            self.update(self._place())

    def _place(self) -> QRect:
        reach = self._theme.px(REACH) + 4
        return self._source.adjusted(-reach, -reach, reach, reach)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for late in (0.0, 0.3):
                part = (self._over - late) / (1 - late)
                if 0 <= part <= 1:
                    colour = QColor(self._theme.gradient)
                    colour.setAlphaF(1 - part)
                    painter.setPen(QPen(colour, 4 - 2 * part))
                    out = self._theme.px(REACH) * part
                    box = QRectF(self._source).adjusted(-out, -out, out, out)
                    painter.drawRoundedRect(box, 8 + out / 2, 8 + out / 2)


class Caption(QLabel):
    """Covers the sentence of the step, which nobody could read now, and says what is visible."""

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self.setObjectName("caption")
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.show()

    def say(self, title: str, sentence: str) -> None:
        """Show another title and sentence."""
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.setText(f"<b>{title}</b><br>{look.escape(sentence)} <i>{SKIP}</i>")
        self.setAccessibleName(f"{title}. {sentence}")


class OverturePlayer(QObject):
    """Waits for the first run that ends well, plays, and then stays silent."""

    def __init__(
        self,
        store: Store,
        canvas: Callable[[], GraphPanel],
        panel_area: Callable[[], PanelArea],
        theme: Callable[[], Theme],
    ) -> None:
        super().__init__()
        self.enabled = animated()
        self._store, self._canvas, self._panel_area, self._theme = store, canvas, panel_area, theme
        self._plan: Overture | None = None
        self._shown: tuple[Rings, Caption] | None = None
        self._expected: tuple[object, ...] = ()  # the state as we set it
        self._end: Callable[[], None] = _nothing  # stops listening to the store
        self._clock = QElapsedTimer()
        self.elapsed: Callable[[], float] = self._clock.elapsed  # milliseconds since waiting or playing began
        self._timer = QTimer(self, interval=FRAME)
        self._timer.timeout.connect(self.tick)

    @property
    def is_playing(self) -> bool:
        """True from the end of the run until the cursor comes to rest."""
        return self._plan is not None

    def begin(self, before: State, after: State) -> None:
        """Play the run that has ended, if that is wanted and there is a backward pass."""
        is_free = self.enabled and self._plan is None and begins(before, after)
        plan = overture(after.trace) if is_free and after.trace is not None else None
        if plan is not None:
            self._plan, self._expected = plan, self._traits(after)
            self._end = self._store.subscribe(self._heard)
            self._clock.start()
            self._timer.start()
            application().installEventFilter(self)
            self._move(0)  # before the end of the run is painted

    def _heard(self, *_: State) -> None:
        """Something else has happened."""
        if self._plan is not None and self._traits(self._store.state) != self._expected:
            self._stop()

    def _traits(self, state: State) -> tuple[object, ...]:
        """What only we change while it plays."""
        parts = (state.document, state.run, state.trace, state.what_if, state.drawing)
        return (*map(id, parts), state.cursor, state.playing, state.stage, state.predict, state.view.animated)

    def tick(self) -> None:
        """Show the next picture."""
        plan = self._plan
        if plan is None:
            return
        if self._shown is None:
            if not self._canvas().is_settled:
                if self.elapsed() > PATIENCE:
                    self.give_up()
                return
            self._shown = Rings(self._canvas().view, self._theme()), Caption(self._panel_area().panel("explanation"))
            self._clock.restart()
        beat = plan.at(self.elapsed() / 1000)
        if beat is None:
            self.end()
        else:
            self._show(beat, plan)

    def give_up(self) -> None:
        """The layout takes too long: show the end of the run, as without an overture."""
        self._stop()
        self._store.move(self._store.state.steps)

    def _move(self, cursor: int) -> None:
        state = self._store.state
        if cursor != state.cursor:
            self._expected = self._traits(replace(state, cursor=cursor))
            self._store.move(cursor)

    def _show(self, beat: Beat, plan: Overture) -> None:
        self._move(beat.cursor)
        state = self._store.state
        view = self._canvas().view
        if self._shown is None or state.trace is None or view.scene is None:
            return
        rings, caption = self._shown
        rings.setGeometry(view.rect())
        title, sentence = WORDS[beat.part]
        caption.say(title, sentence.format(state.trace.frame(plan.loss).name(plan.root)))
        item = view.scene.find("tensor", plan.root)
        source = view.scene.screen_box(item, view.camera, 0.0) if item >= 0 else QRect()
        rings.pulse(source, beat.over if beat.part == "pulse" and item >= 0 else -1.0)

    def end(self) -> None:
        """Go to the first backward step at once."""
        plan = self._plan
        self._stop()
        if plan is not None:
            self._store.move(moves.with_buffers(self._store.state, plan.rest) or plan.rest)
            self._store.say(AT_REST)

    def _stop(self) -> None:
        """It is over; if any of it was shown, it counts as seen."""
        self._plan = None
        self._timer.stop()
        self._end()
        application().removeEventFilter(self)
        shown, self._shown = self._shown or (), None
        for widget in shown:
            widget.hide()
            widget.deleteLater()
        if shown:
            self._store.look(replace(self._store.state.view, overture=False))

    def close(self) -> None:
        """The window closes."""
        if self._plan is not None:
            self._stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pressing anything means moving on; the press still has its usual effect."""
        if event.type() in ENDING and self._plan is not None:
            self.end()
        return False


def _nothing() -> None:
    """Nothing is listened to."""
