"""Where a prediction is made: the row below the sentence for typing or picking an answer, and the "?" on the canvas in
place of the number asked for. The question is a record of `session.predict`, which also knows the answer; its wording
is in the explanation bar."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from gradviz.session import predict
from gradviz.session.predict import ACCEPTED, Predict
from gradviz.ui import look
from gradviz.ui.canvas import sizes
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
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
