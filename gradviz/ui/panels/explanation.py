"""The explanation bar below the canvas: which step this is, one sentence with its numbers, and what comes next; or,
where a prediction is made, the question, with a row below it for typing or picking an answer and a "?" on the canvas in
place of the number asked for. The question is a record of `session.predict`, which also knows the answer."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gradviz.session import predict
from gradviz.session.inspect.sources import call_texts
from gradviz.session.predict import ACCEPTED, Predict
from gradviz.session.presenting import Stage, code_of_step
from gradviz.session.state import MOMENT, Slice, State
from gradviz.trace.table.kinds import Kind
from gradviz.ui import look
from gradviz.ui.canvas import sizes
from gradviz.ui.panels.panel import Context, Panel, moved
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.words.questions import Question
    from gradviz.ui.canvas.camera import Camera
    from gradviz.ui.canvas.scene import Scene


FIELD = 170  # width in pixels of the field for one number
GAP = 6  # pixels between two widgets
MOST_CHOICES = 4
GRADIENT = 31.0  # from the gradient of a card to its lower edge, at zoom 1
RING = 5.0  # pixels between what computes the answer and the ring around it


class AnswerField(QLineEdit):
    """Takes numbers; H, which occurs in none, asks for a hint."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setMaxLength(predict.LONGEST)
        self.setAccessibleName("Your answer")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() in ("h", "H"):
            self._context.do("predict.hint")
        else:
            super().keyPressEvent(event)


class AnswerBar(QWidget):
    """A field or buttons to pick from, Check, Hint and Show It, how the latest answer was, and the score."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._asked: Question | None = None
        self.field = AnswerField(context)
        self.field.returnPressed.connect(lambda: self._answer(self.field.text()))
        self.choices = [QPushButton() for _ in range(MOST_CHOICES)]
        for place, button in enumerate(self.choices):
            button.clicked.connect(partial(self._pick, place))
        self.check = QPushButton("Check")
        self.check.clicked.connect(lambda: self._answer(self.field.text()))
        self.hint = QPushButton("Hint (H)")
        self.hint.clicked.connect(lambda: context.do("predict.hint"))
        self.show_it = QPushButton("Show It (→)")
        self.show_it.clicked.connect(lambda: context.do("predict.show"))
        self.go_on = QPushButton("Step ▶")
        self.go_on.clicked.connect(lambda: context.do("run.step"))
        self.verdict, self.score = QLabel(), QLabel()
        self.verdict.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.verdict.setTextFormat(Qt.TextFormat.PlainText)
        self.verdict.setAccessibleName("How the answer was")
        self.score.setObjectName("muted")
        self.score.setAccessibleName("Score")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        for widget in (self.field, *self.choices, self.check, self.hint, self.show_it, self.go_on):
            row.addWidget(widget)
        row.addWidget(self.verdict, 1)
        row.addWidget(self.score)

    @property
    def target(self) -> QWidget:
        """The widget for the focus."""
        if self._asked is None:
            return self.go_on
        return self.choices[0] if self._asked.choices else self.field

    def set_fonts(self, theme: Theme, size: float) -> None:
        """Use fonts of this size."""
        self.field.setFont(look.mono(theme, size, bold=True))
        self.field.setFixedWidth(theme.px(FIELD * size / 13))
        self.verdict.setFont(look.sans(theme, size))
        self.setStyleSheet(f"QPushButton, QLineEdit, QLabel#muted {{ font-size: {theme.px(size)}px; }}")

    def show_predict(self, shown: Predict, step: str = "") -> None:
        """Ask, or say how it went; a new question takes the focus. `step` stands before the score."""
        asked, before = shown.asked, self._asked
        self._asked = asked
        picks = asked.choices if asked is not None else ()
        types = asked is not None and not picks
        self.field.setVisible(types)
        self.check.setVisible(types)
        for place, button in enumerate(self.choices):
            button.setVisible(place < len(picks))
            if place < len(picks):
                button.setText(f"{place + 1}:  {picks[place]}")
                button.setAccessibleName(f"Answer {place + 1}: {picks[place]}")
        self.hint.setVisible(asked is not None)
        self.hint.setEnabled(asked is not None and shown.hints < len(asked.hints))
        self.show_it.setVisible(asked is not None)
        self.go_on.setVisible(asked is None)
        self.verdict.setText(shown.verdict)
        self.verdict.setToolTip(look.tip(shown.verdict))
        self.score.setText(f"{step}{shown.score}")
        self._make_room()
        if asked is not None and asked != before:
            self.field.clear()
            self.field.setPlaceholderText(_sample(asked))
            self.field.setToolTip(ACCEPTED)
            self.field.setAccessibleDescription(f"{asked.prompt} {ACCEPTED}")
            self.target.setFocus(Qt.FocusReason.OtherFocusReason)
        elif asked is None and before is not None:
            self.go_on.setFocus(Qt.FocusReason.OtherFocusReason)
        elif types:
            self.field.selectAll()

    def _make_room(self) -> None:
        """Hide the score where there is no room for it beside the verdict."""
        score = 0 if self.score.isVisibleTo(self) else self.score.sizeHint().width() + GAP
        room = self.width() - self.sizeHint().width() - score  # the verdict asks for none
        self.score.setVisible(not self.verdict.text() or self.verdict.sizeHint().width() <= room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The verdict may need the room of the score, or no longer."""
        super().resizeEvent(event)
        self._make_room()

    def event(self, event: QEvent) -> bool:
        """A decimal point belongs to an answer, even if nothing is asked; elsewhere it turns the screen black."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.text() == ".":
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Digits pick an answer, H asks for a hint."""
        text = event.text()
        if text.isdigit() and self._asked is not None and 0 < int(text) <= len(self._asked.choices):
            self._pick(int(text) - 1)
        elif text in ("h", "H") and self._asked is not None:
            self._context.do("predict.hint")
        else:
            super().keyPressEvent(event)

    def _pick(self, place: int) -> None:
        if self._asked is not None and place < len(self._asked.choices):
            self._answer(self._asked.choices[place])

    def _answer(self, text: str) -> None:
        if text.strip():
            self._context.shell.store.consult(lambda state: predict.answered(state, text))


def _sample(asked: Question) -> str:
    return "a number" if len(asked.numbers) == 1 else f"{len(asked.numbers)} numbers"


NONE = 22  # pixels at zoom 1 by which "None" is wider than the "?"


class QuestionMark:
    """Painted over a graph: a ring around what computes the answer, and a "?" where it will appear. A card that does
    not exist yet is outlined."""

    def __init__(self, asked: Question, theme: Theme) -> None:
        self._asked = asked
        self._theme = theme

    def __call__(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the visible marks."""
        asked, diagram = self._asked, scene.placed.diagram
        if not (asked.tensor < len(scene.trace.tensors) and asked.node < len(scene.trace.nodes)):
            return  # the graph of another run is still on screen
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        node = int(diagram.item_of_node[asked.node]) if asked.node >= 0 else -1
        if node >= 0:
            labels = sizes.OVERHANG * camera.scale  # which are wider than the circle
            self._ring(painter, QRectF(scene.screen_box(node, camera, 0)).adjusted(-labels, 0, labels, 0))
        graphs = scene.moment.graphs
        for item in diagram.items_around_tensor(asked.tensor).tolist():
            if graphs[diagram.graph[item]] and item != node:
                box = QRectF(scene.screen_box(item, camera, 0))
                self._mark(painter, box, camera.scale, there=bool(scene.moment.items[item]), name=asked.subject)
        painter.restore()

    def _ring(self, painter: QPainter, box: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._theme.halo), 2.5, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(box.adjusted(-RING, -RING, RING, RING), 9, 9)

    def _mark(self, painter: QPainter, box: QRectF, scale: float, *, there: bool, name: str) -> None:
        """The "?" on a card, in place of the value or of the gradient below it."""
        theme = self._theme
        if not there:
            painter.setBrush(QColor(theme.card))
            painter.setPen(QPen(QColor(theme.halo), 1.6, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(box, 6, 6)
        size = max(13.0 * theme.scale, 15.0 * scale)
        font = look.sans(theme.scaled(1.0), size, bold=True)
        height, width = size * 1.5, size * 1.8
        place = QRectF(box.right() - width - 3, box.bottom() - height - 3, width, height)
        if self._asked.part == "value":
            place.moveTop(min(box.top() + 26 * scale, box.bottom() - height))
        elif self._asked.part == "grad":
            place.moveCenter(QPointF(place.center().x(), box.bottom() - GRADIENT * scale))
            if there:  # instead of what is written there
                written = place.adjusted(-NONE * scale, height / 5, 0, 0)
                painter.fillRect(written & box.adjusted(4, 4, -4, -4), QColor(theme.card))
        else:  # what is added to the sum is shown above the card
            place.moveBottom(box.top() - 2)
        if not there:
            painter.setPen(QColor(theme.text))
            painter.setFont(look.mono(theme.scaled(1.0), max(11.0, 13.0 * scale), bold=True))
            title = QRectF(box.left() + 9 * scale, box.top(), box.width() - 18 * scale, 26 * scale)
            text = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(title.width()))
            painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.halo))
        painter.drawRoundedRect(place, height / 2, height / 2)
        painter.setPen(QColor(theme.panel))
        painter.setFont(font)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, "?")


# --- The bar ---

LINES, NARROW_LINES, ERROR_LINES = 2, 3, 4  # of a step, of one in a narrow panel, of an error
NARROW = 800  # pixels of width; with larger text, the canvas needs what there is
SIDE = 14  # pixels of margin
PRINTED = 0.9  # of the size of a sentence; then lines of both fonts have the same height
BEFORE = "Nothing has run yet. Press Step (F10) for the first step."


class ExplanationPanel(Panel):
    """Two lines of text that can be selected and copied."""

    shows = Slice("view", "stage", "traced", "predict", *MOMENT)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.setAccessibleName("Explanation of the current step")
        self.title = QLabel()
        self.sentence = QTextBrowser()  # a long message scrolls, so that the graph above keeps its size
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.sentence.setFrameShape(QFrame.Shape.NoFrame)
        self.sentence.document().setDocumentMargin(0)
        self.sentence.setAccessibleName("What happened in this step")
        self.call = QLabel()  # the arguments of the backward call, as many as fit
        self.call.setTextFormat(Qt.TextFormat.PlainText)
        self.call.setObjectName("call")
        self.call.setAccessibleName("Arguments of the backward call")
        self.call.setToolTip("The current backward call and its arguments.")
        self._calls: tuple[str, ...] = ()
        self._texts: tuple[str, ...] = ("",)  # what happened, with and without what comes next
        self._is_printed = False  # by the program, in columns
        self._lines = LINES
        self._has_head = True
        self._title = ""
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.call)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(4)
        self._column.addLayout(head)
        self._column.addWidget(self.sentence)
        self._bar: AnswerBar | None = None  # created for the first prediction
        self.set_theme(context.theme)

    @property
    def focus_target(self) -> QWidget:
        return self.sentence if self._bar is None or not self._bar.isVisibleTo(self) else self._bar.target

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        state = self.context.shell.store.state
        self.show_state(state, state)

    def _set_fonts(self, stage: Stage) -> None:
        """When presenting, as large as a strip below the graph allows, whatever the size of other text."""
        theme = look.on_stage(self.theme, self.window().height()) if stage.on else self.theme
        title, call, *sentence = (19.0, 19.0, 23.0, 20.0, 17.5, 15.0) if stage.on else (14.0, 12.0, 13.0)
        self.title.setFont(look.sans(theme, title, bold=True))
        self.call.setFont(look.mono(theme, call))
        self._fonts = [look.sans(theme, size) for size in sentence]
        self._printed = [look.mono(theme, size * PRINTED) for size in sentence]
        if self._bar is not None:
            self._bar.set_fonts(theme, 19.0 if stage.on else 13.0)
        edge = min(self.theme.px(7), 7)  # smaller text has less around it, so that the graph keeps its half
        self._column.setContentsMargins(SIDE, *((4, SIDE, 2) if stage.on else (edge, SIDE, edge)))

    def show_state(self, before: State, after: State) -> None:
        same = before.view.every_step == after.view.every_step and before.stage.on == after.stage.on
        if not (before is after or before.predict is not after.predict or moved(before, after)) and same:
            return
        self._show_bar(after)
        if before is after or before.stage.on != after.stage.on:
            self._set_fonts(after.stage)
        self._calls = (code_of_step(after),) if after.stage.on else call_texts(after)
        self._has_head = not (after.stage.on and after.predict.on and after.steps)
        for label in (self.title, self.call):
            label.setVisible(self._has_head)
        self._column.setSpacing(4 if self._has_head else 2)
        if after.trace is None or not after.steps:
            self._title = ""
            self._write_call()
            self._texts = ("",)
            self._write()
            return
        if after.predict.asked is not None:
            self._ask(after, after.predict.asked)
        else:
            self._tell(after, after.trace)
        if not self._has_head:  # the graph gets its room: the line of code follows, the step stands beside the score
            code = f"&nbsp;&nbsp; <span style='color:{self.theme.muted}'>{look.escape(self._calls[0])}</span>"
            self._texts = (f"{self._texts[0]}{code}", *self._texts)
        self._write()
        self._write_call()

    def _ask(self, after: State, asked: Question) -> None:
        """The question about a step, with the hints given so far, in place of what the step did."""
        self._is_printed = False
        self._title = f"Step {asked.end:,} of {after.steps:,} · {asked.title}"
        self.title.setToolTip(look.tip(self._title))
        muted = f"<br><span style='color:{self.theme.muted}'>"
        told = "".join(f"{muted}{look.escape(hint)}</span>" for hint in after.predict.told)
        self._texts = (f"<b>{look.escape(asked.prompt)}</b>{told}",)
        self._lines = ERROR_LINES

    def _tell(self, after: State, trace: Trace) -> None:
        """What the current step did."""
        from gradviz.trace.words.explain import explain_fold, fold_number  # not before the window was painted

        explanation = explain_fold(trace, after.cursor, after.view.every_step)
        number = f"Step {after.cursor:,}" if after.view.every_step else fold_number(trace, after.cursor)
        place = f"{number} of {after.steps:,}" if after.cursor else f"{after.steps:,} steps"
        self._title = f"{place} · {explanation.title}"
        self.title.setToolTip(look.tip(self._title))  # in case the window is too narrow for it
        following = f"Next: {explanation.next}" if explanation.next else ""
        tail = f"&nbsp;&nbsp; <span style='color:{self.theme.muted}'>{look.escape(following)}</span>"
        said = look.escape(explanation.sentence or BEFORE)
        flat = look.escape(" ".join(explanation.sentence.split()))  # printed text may have many lines
        self._is_printed = after.cursor > 0 and trace.steps.kind[after.cursor - 1] == Kind.PRINT
        self._texts = tuple(dict.fromkeys((said + tail, said, flat) if following else (said, flat or said)))
        self._lines = ERROR_LINES if after.cursor == trace.error_step else LINES

    def _show_bar(self, after: State) -> None:
        """Show the row for the answer, which is created for the first prediction."""
        shown = after.predict.on and after.steps > 0
        if shown and self._bar is None:
            self._bar = AnswerBar(self.context)
            self._column.addWidget(self._bar)
            self._set_fonts(after.stage)
        if self._bar is not None:
            self._bar.setVisible(shown)
            step = f"step {after.cursor:,} of {after.steps:,} · " if after.stage.on else ""
            self._bar.show_predict(after.predict, step)

    def _write(self) -> None:
        """What comes next is said only if there is room; an error may take more lines than a step. Nobody scrolls while
        presenting: what is too long is said in smaller letters, down to a third less."""
        line, least = QFontMetrics(self._fonts[0]).lineSpacing(), self._least
        for font, text in product(self._printed if self._is_printed else self._fonts, self._texts):
            self.sentence.setFont(font)
            self.sentence.setHtml(text)
            needed = self.sentence.document().size().height()
            if needed <= least * line + 2:
                break
        most = max(self._lines, least)
        lines = min(max(least, math.ceil((needed - 2) / line)), most)
        whole = needed if needed <= (most + 0.5) * line else 0  # bold words may be slightly taller
        self.sentence.setFixedHeight(math.ceil(max(lines * line + 2, whole)))

    @property
    def _least(self) -> int:
        """How many lines there are always, so that the graph above keeps its size from step to step."""
        is_narrow = self.width() < NARROW and self.theme.scale <= 1 and not self.context.shell.store.state.stage.on
        return NARROW_LINES if is_narrow else LINES

    def _write_call(self) -> None:
        """The title, and the longest form of the call that leaves it intact."""
        inside, words = self.width() - 2 * SIDE, self.title.fontMetrics()
        self.title.setText(words.elidedText(self._title, Qt.TextElideMode.ElideRight, inside))
        metrics = self.call.fontMetrics()
        room = inside - words.horizontalAdvance(self._title) - self.fontMetrics().height()
        fits = (text for text in self._calls if metrics.horizontalAdvance(text) <= room)
        self.call.setText(next(fits, ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        stage = self.context.shell.store.state.stage
        if stage.on:
            self._set_fonts(stage)
        self._write()
        self._write_call()
