"""The status bar: what is going on, how much was recorded, and a progress bar with Cancel for anything that takes
longer than half a second."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRect, QRectF, QSize, QSizeF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QProgressBar,
    QPushButton,
    QStatusBar,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QWidget,
)

from gradviz import RESOURCES
from gradviz.lists import quantity, time_text
from gradviz.session.problem import problem
from gradviz.session.state import STALE, Phase, Slice, State
from gradviz.ui.look import tip
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.commands.panels import PanelRow
    from gradviz.trace.table.trace import Trace

PATIENCE = 500  # milliseconds before progress is shown
MOVES_EVERY = 200  # milliseconds
FOLLOWS = "follows PyTorch 2.13"
GAP = 6  # pixels between two items
CUDA_IS_CPU = "cuda means cpu"
MARGIN = 20  # pixels kept free beside the summary
PICTURE, EDGE, MOST_IN_PICTURE = 190, 3, 5_000  # pixels of a folded timeline; the most steps of a run that are shown
NOTICE = 8000  # milliseconds that a notice stays visible
KEEPS_STEPS = "Stop the run; what was recorded stays."
KEEPS_PICTURE = "Cancel the layout and keep the picture as it was (Esc)."


WORDS = Slice(
    "run", "cuda_as_cpu", "path", "notice", "layout_progress", "doubt", "recorded", "steps", "doctor", "predict",
    "view", *STALE,
)  # fmt: skip


def summary(state: State) -> str:
    """What the latest run recorded."""
    run = state.run
    if state.asks is not None:
        return "the snippet waits for your answer"
    if state.left is not None:
        return f"Stops in {state.left} s"
    if state.what_if is not None and state.what_if.run.is_running:
        return f"running the change · {state.what_if.recorded:,} steps so far"
    if run.is_running:
        return f"running · {state.recorded:,} steps so far"
    if state.layout_progress:
        return state.layout_progress
    if state.doubt:
        return f"nothing has run yet · {FOLLOWS}"
    if state.is_recording:
        return f"a recording of {quantity(state.steps, 'step')}"
    if run.phase is Phase.NEVER or state.trace is None:
        return FOLLOWS
    stale = " · the snippet has changed since" if state.is_stale else ""
    steps = quantity(state.steps, "step")
    took = f" in {time_text(run.seconds)}" if run.snippet == state.traced else ""  # not the time of another run
    beyond = f" · {state.trace.beyond_budget:,} values as summaries" if state.trace.beyond_budget else ""
    whole = f"recorded {run.part}: {steps}" if run.part and run.snippet == state.traced else f"recorded {steps}"
    return f"{whole}{took}{beyond} · {checked(state.trace)[0]}{stale}"


_known: WeakKeyDictionary[Trace, tuple[int, tuple[str, str]]] = WeakKeyDictionary()


def checked(trace: Trace) -> tuple[str, str]:
    """How much of what ran is compared with PyTorch, briefly and in full; `resources/compared.json` is generated from
    the tests."""
    known = _known.get(trace)
    if known is None or known[0] != len(trace):
        known = _known[trace] = len(trace), _checked(trace)
    return known[1]


def _checked(trace: Trace) -> tuple[str, str]:
    from gradviz.trace.table.schema import BY_NUMPY

    names, nodes = _compared()
    kinds = {(str(op), str(node)) for op, node in zip(trace.operands.op, trace.operands.node_name, strict=True)}
    kinds = {(op, node) for op, node in kinds if op not in ("detach", BY_NUMPY)}  # nothing of ours
    if not kinds:
        return FOLLOWS, ""
    missing = sorted({op or name for op, name in kinds if op not in names and name not in nodes})
    there = sorted({op or name for op, name in kinds} - {*missing})
    every = len(there) + len(missing)
    whole = {1: "the one kind", 2: "both kinds"}.get(every, f"all {every} kinds")
    count = f"{len(there)} of {every} kinds" if missing else whole
    full = "Tests compare these with PyTorch 2.13 in value, gradient and second gradient: " + ", ".join(there) + "."
    if missing:
        full += f"\nNot compared: {', '.join(missing)}."
    but = f" (not {', '.join(missing[:2])}{' …' if len(missing) > 2 else ''})" if missing else ""
    return f"{count} of operation checked against PyTorch 2.13{but}", full


@cache
def _compared() -> tuple[frozenset[str], frozenset[str]]:
    import json

    found = json.loads((RESOURCES / "compared.json").read_text(encoding="utf-8"))
    return frozenset(found["operations"]), frozenset(found["nodes"])


class BusyBar(QProgressBar):
    """Moves while something is going on. The style would move it at the rate of a film, and each time that part of the
    window is painted, which took a quarter of the window's time beside a run."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(0, 0)
        self.setTextVisible(False)
        self._moved = QElapsedTimer()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.StyleAnimationUpdate:
            if self._moved.isValid() and self._moved.elapsed() < MOVES_EVERY:
                event.accept()  # otherwise the animation would end
                return True
            self._moved.start()
        return super().event(event)


class FoldedTimeline(QPushButton):
    """Brings the timeline back, and has a small picture of it: the steps, and a lane for each saved buffer."""

    def __init__(self, text: str, theme: Theme) -> None:
        super().__init__(text)
        self.setObjectName("folded")
        self._theme = theme
        self._shown: tuple[Trace, int] | None = None  # a trace, and how many steps it has
        self._cursor = 0
        self._picture: QPixmap | None = None  # all but the cursor, until something else is shown

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme, self._picture = theme, None
        self.updateGeometry()
        self.update()

    def show_state(self, state: State) -> bool:
        """Show where the cursor is in the run; returns whether it needs another width."""
        short = state.trace is not None and 0 < state.steps <= MOST_IN_PICTURE
        shown = (state.trace, state.steps) if short and state.trace is not None else None
        other = (shown is None) is not (self._shown is None)
        if shown != self._shown:
            self._shown, self._picture = shown, None
        self._cursor = state.cursor
        if other:
            self.updateGeometry()
        self.update()
        return other

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return hint if self._shown is None else hint + QSize(self._theme.px(PICTURE + GAP), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt centres the text; the picture is to the right of it."""
        if self._shown is None:
            super().paintEvent(event)
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        wide, side = self._theme.px(PICTURE), (super().sizeHint().width() - self._text_width()) / 2
        with QPainter(self) as painter:
            self.style().drawControl(QStyle.ControlElement.CE_PushButtonBevel, option, painter, self)
            painter.setPen(option.palette.buttonText().color())
            place = QRectF(side, 0, self._text_width() + 1.0, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.text())
            left = self.width() - wide - side
            painter.drawPixmap(QPointF(left, EDGE), self._painted(*self._shown, QSize(wide, self.height() - 2 * EDGE)))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.text), 1.5))
            x = left + wide * max(self._cursor - 0.5, 0) / self._shown[1]
            painter.drawLine(QPointF(x, EDGE - 1), QPointF(x, self.height() - EDGE + 1))

    def _painted(self, trace: Trace, steps: int, size: QSize) -> QPixmap:
        """The steps and lanes, painted anew only for another run or size."""
        found, pixels = self._picture, size * self.devicePixelRatioF()
        if found is None or found.size() != pixels:
            from gradviz.ui.panels.timeline_plots import paint_small  # imports NumPy, as an empty window does not

            found = self._picture = QPixmap(pixels)
            found.setDevicePixelRatio(self.devicePixelRatioF())
            found.fill(Qt.GlobalColor.transparent)
            with QPainter(found) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                paint_small(painter, QSizeF(size), self._theme, trace, steps)
        return found

    def _text_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(self.text())


class StatusLine(QStatusBar):
    """Notices on the left; progress and the summary on the right."""

    shows = Slice("cursor", *WORDS.names)

    def __init__(self, theme: Theme, do: Callable[[str], None]) -> None:
        super().__init__()
        self._do, self._theme = do, theme
        self._shown = State()
        self.setSizeGripEnabled(False)
        self.progress = BusyBar()
        self.cancel = QPushButton("Cancel")
        self.cancel.clicked.connect(lambda: do("run.stop"))
        self.keep_going = QPushButton("Keep Going")
        self.keep_going.setToolTip("Extend the time limit by the same amount (Ctrl+F5).")
        self.keep_going.clicked.connect(lambda: do("run.keep_going"))
        self.more = QPushButton("Record More")
        self.more.setToolTip("Run it again with four times the time, which records more of it (Ctrl+Shift+F5).")
        self.more.clicked.connect(lambda: do("run.longer"))
        self.more.hide()
        self.choose = QPushButton("Choose Iterations…")
        self.choose.setToolTip("Say which iterations are recorded; the others run at full speed (Alt+F5).")
        self.choose.clicked.connect(lambda: do("run.with"))
        self.choose.hide()
        self.badge = QPushButton()
        self.badge.setObjectName("badge")
        self.badge.setToolTip("Show what may be wrong although nothing was raised (Ctrl+Alt+D).")
        self.badge.clicked.connect(lambda: do("learn.look"))
        self.badge.hide()
        self._notice = ""
        self.label = QLabel()
        self.label.setObjectName("muted")
        self.label.setMinimumWidth(1)  # a window must not grow with its status text
        self._summary = ""
        self.messageChanged.connect(self._make_room)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self._show_progress)
        # What is clicked is on the right, where it stays when the summary gives way to a notice.
        self._others = (self.progress, self.keep_going, self.cancel, self.more, self.choose, self.badge)
        for widget in (self.label, *self._others):
            self.addPermanentWidget(widget)
        self.folded: dict[str, QPushButton] = {}  # buttons that bring back a card without room, by its first panel
        self._offered: set[str] = set()  # those of them that have content
        self.setContentsMargins(10, 0, 12, 2)
        self._hide_progress()
        self.set_theme(theme)

    def show_folded(self, rows: tuple[PanelRow, ...]) -> None:
        """Offer the cards that have content but no room."""
        self._offered = {row.id for row in rows}  # first: what follows may lay the window out again, and offer others
        for row in rows:
            if row.id not in self.folded:
                button = self.folded[row.id] = self._button(row)
                button.setToolTip(f"Show the {row.title.lower()} (Ctrl+{row.digit}); Shift+Esc hides it.")
                button.clicked.connect(lambda _=False, name=row.id: self._do(f"view.focus_{name}"))
                self.insertPermanentWidget(len(self._others) + len(self.folded) - 1, button)  # before the badge
        self._fit()

    def _button(self, row: PanelRow) -> QPushButton:
        if row.id != "timeline":
            return QPushButton(f"{row.title} ▴")
        button = FoldedTimeline(f"{row.title} ▴", self._theme)
        button.show_state(self._shown)
        return button

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        for button in self.folded.values():
            if isinstance(button, FoldedTimeline):
                button.set_theme(theme)
        self.progress.setFixedSize(theme.px(120), theme.px(6))
        self._fit()

    def show_state(self, before: State, after: State) -> None:
        """Show the present state."""
        self._shown = after
        for button in self.folded.values():
            if isinstance(button, FoldedTimeline) and button.show_state(after):
                self._fit()
        if not WORDS.differs(before, after):
            return
        self._summary = f"{CUDA_IS_CPU} · {summary(after)}" if after.cuda_as_cpu else summary(after)
        is_told = after.trace is not None and not after.is_busy
        self.label.setToolTip(tip(checked(after.trace)[1]) if is_told and after.trace is not None else "")
        self.keep_going.setVisible(after.left is not None)
        self.more.setVisible(after.records_part)
        self.choose.setVisible(after.leaves_out)
        told = len(after.told) if not after.is_stale and not after.is_busy else 0
        self.badge.setText(f"▼ {quantity(told, 'thing')} to look at")
        self.badge.setVisible(told > 0)
        self.progress.setAccessibleName(
            after.layout_progress if after.shows_layout_progress else "The snippet is running"
        )
        self.cancel.setToolTip(KEEPS_PICTURE if after.shows_layout_progress else KEEPS_STEPS)
        if after.left is not None or after.shows_layout_progress:
            self._show_progress()
        if after.is_busy and not self._patience.isActive() and not self.progress.isVisible():
            self._patience.start()
        elif not after.is_busy and not after.shows_layout_progress:
            self._patience.stop()
            self._hide_progress()
        self._fit()
        if before.run is not after.run and self.currentMessage() == before.run.sentence:
            self.clearMessage()  # it was about the previous run
        if before.document is not after.document and before.path != after.path:
            self.clearMessage()  # it was about another document
        if before.notice.serial != after.notice.serial:
            self._tell(after.notice.sentence)
        ended = before.run is not after.run and not after.run.is_running
        if ended and after.run.sentence and problem(after) is None:  # a problem has its own card
            self._tell(after.run.sentence)

    @property
    def has_notice(self) -> bool:
        """Whether a notice is visible; hints of hovered items don't count."""
        return bool(self._notice) and self.currentMessage() == self._notice

    def _tell(self, sentence: str) -> None:
        self._notice = sentence
        self.setToolTip(tip(sentence))
        self.showMessage(sentence, NOTICE)

    def _make_room(self, message: str) -> None:
        """A long notice takes the place of the summary, a longer one also that of the offered cards."""
        room = self._room - self.fontMetrics().horizontalAdvance(message) - 3 * self.fontMetrics().height()
        offered = [button for name, button in self.folded.items() if name in self._offered]
        room -= sum(button.sizeHint().width() + GAP for button in offered)
        has_room = not message or room > 0
        for name, button in tuple(self.folded.items()):  # which may lay the window out again, and offer others
            button.setVisible(name in self._offered and has_room)
        self.label.setVisible(not message or room > self.label.sizeHint().width())

    @property
    def _room(self) -> int:
        """Pixels for the notice, the offered cards and the summary."""
        taken = sum(each.sizeHint().width() + GAP for each in self._others if not each.isHidden())
        margins = self.contentsMargins()
        return self.width() - margins.left() - margins.right() - taken

    def paintEvent(self, event: QPaintEvent) -> None:
        """A notice that is too long ends in an ellipsis; its tooltip has all of it."""
        option, message = QStyleOption(), self.currentMessage()
        option.initFrom(self)
        with QPainter(self) as painter:
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelStatusBar, option, painter, self)
            if message:  # empty while progress updates arrive, many times a second
                self._paint_message(painter, message)

    def _paint_message(self, painter: QPainter, message: str) -> None:
        widgets = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        seen = [each.x() for each in widgets if each.isVisible()]
        left = self.contentsMargins().left()
        place = QRect(left, 0, min(seen, default=self.width()) - GAP - left, self.height())
        text = self.fontMetrics().elidedText(message, Qt.TextElideMode.ElideRight, place.width())
        painter.setPen(self.palette().windowText().color())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)

    def _write(self) -> None:
        """Show as much of the summary as there is room for."""
        offered = (button.sizeHint().width() + GAP for name, button in self.folded.items() if name in self._offered)
        room = self._room - sum(offered) - MARGIN
        self.label.setText(self.label.fontMetrics().elidedText(self._summary, Qt.TextElideMode.ElideRight, room))

    def _fit(self) -> None:
        """Use the present room: what is beside the summary, or the width of something, has changed."""
        self._write()
        self._make_room(self.currentMessage())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _show_progress(self) -> None:
        self.progress.show()
        self.cancel.show()

    def _hide_progress(self) -> None:
        self.progress.hide()
        self.keep_going.hide()
        self.cancel.hide()
