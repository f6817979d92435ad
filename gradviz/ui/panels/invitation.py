"""What an empty window says: paste a snippet or draw a graph, with some examples of both. A double click, a key, or a
drop from the palette turns the document into a drawing and continues there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from gradviz.commands.row import Shell
from gradviz.document.files.examples import Introduction, introductions
from gradviz.session.trust_warnings import NOT_RUN
from gradviz.ui import look
from gradviz.ui.panels.panel import Context
from gradviz.ui.theme import Theme

if TYPE_CHECKING:
    from gradviz.ui.drawing.interactions import Interactions


INVITED = 3  # example snippets
TITLE = "See what backward() does"
RUN = "Press Run (F5) to see its graph here."
RUNNING = "Running…"
SNIPPET = ("Paste a snippet", "Paste PyTorch code on the left and press Run (F5).")
DRAWING = ("Draw a graph", "Double-click to start a drawing, or type: 3.0, mul, w*x\u00a0+\u00a0b")
EXAMPLES = "or begin with an example"
WIDE = 560  # pixels at 100 % from which the two ways are side by side
CARD = 380  # at most
QWIDGETSIZE_MAX = 16777215  # Qt's own name for no limit


class Sketch(QWidget):
    """A small picture of a way to start: lines of code, or a graph."""

    def __init__(self, graph: bool) -> None:
        super().__init__()
        self._graph = graph
        self._theme: Theme | None = None

    def set_theme(self, theme: Theme) -> None:
        """Use other colours and sizes."""
        self._theme = theme
        self.setFixedHeight(theme.px(64))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(180, 64)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._theme is None:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            scale = self.height() / 64
            painter.translate(self.width() / 2 - 90 * scale, 0)
            painter.scale(scale, scale)
            (self._paint_graph if self._graph else self._paint_code)(painter, self._theme)

    def _paint_code(self, painter: QPainter, theme: Theme) -> None:
        """Bars as long as words, in the colours of the editor."""
        rows = (
            ((0, 34, theme.keyword), (40, 36, theme.text)),
            ((0, 12, theme.text), (20, 58, theme.builtin), (84, 22, theme.number)),
            ((0, 12, theme.text), (20, 24, theme.text), (50, 30, theme.text)),
            ((0, 40, theme.text), (44, 62, theme.gradient)),
        )
        painter.setPen(Qt.PenStyle.NoPen)
        for at, row in enumerate(rows):
            for left, width, colour in row:
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(QRectF(36 + left, 6 + 15 * at, width, 6), 3, 3)

    def _paint_graph(self, painter: QPainter, theme: Theme) -> None:
        """Two leaves, an operation and its result."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for begin, end, colour in (
            ((50, 16), (88, 30), theme.edge),
            ((50, 48), (88, 34), theme.edge),
            ((112, 32), (134, 32), theme.gradient),
        ):
            path = QPainterPath(QPointF(*begin))
            middle = (begin[0] + end[0]) / 2
            path.cubicTo(QPointF(middle, begin[1]), QPointF(middle, end[1]), QPointF(*end))
            painter.setPen(QPen(QColor(colour), 2))
            painter.drawPath(path)
        for box, line, fill in (
            (QRectF(14, 5, 36, 22), theme.leaf, theme.leaf_fill),
            (QRectF(14, 37, 36, 22), theme.constant, theme.constant_fill),
            (QRectF(134, 21, 36, 22), theme.output, theme.output_fill),
        ):
            painter.setPen(QPen(QColor(line), 1.6))
            painter.setBrush(QColor(fill))
            painter.drawRoundedRect(box, 5, 5)
        painter.setPen(QPen(QColor(theme.operation), 1.6))
        painter.setBrush(QColor(theme.card))
        painter.drawEllipse(QPointF(100, 32), 12, 12)
        painter.drawLine(QPointF(96, 28), QPointF(104, 36))
        painter.drawLine(QPointF(104, 28), QPointF(96, 36))


class Way(QFrame):
    """One way to start: a picture, two sentences, and buttons."""

    def __init__(self, graph: bool, said: tuple[str, str], buttons: Sequence[QPushButton]) -> None:
        super().__init__()
        self.setObjectName("way")
        self.sketch = Sketch(graph)
        self.title, self.text, self.or_label = QLabel(said[0]), QLabel(said[1]), QLabel(EXAMPLES)
        self.buttons = buttons
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(8)
        column.addWidget(self.sketch)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            column.addWidget(label)
        column.addStretch(1)
        self.or_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for label in (self.text, self.or_label):
            label.setObjectName("muted")
        for at, button in enumerate(buttons):
            if at == (1 if graph else 0):
                column.addWidget(self.or_label)
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            column.addWidget(button)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self.sketch.set_theme(theme)
        self.title.setFont(look.sans(theme, 16, bold=True))
        self.text.setFont(look.sans(theme, 13))
        self.or_label.setFont(look.sans(theme, 12))
        for button in self.buttons:
            button.setMinimumHeight(theme.px(34))


class Invitation(QWidget):
    """Both ways side by side, or one above the other if there is no room; what does not fit can be scrolled to."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self.title = QLabel(TITLE)
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.title.setWordWrap(True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.draw = QPushButton("New drawing")
        self.draw.setObjectName("newDrawing")
        self.draw.clicked.connect(lambda: context.do("draw.new"))
        snippets = [self._button(example) for example in introductions("*.py", INVITED)]
        drawings = [self._button(example) for example in introductions("*.gradviz")]
        self.buttons = [*snippets, self.draw, *drawings]
        self.ways = (Way(False, SNIPPET, snippets), Way(True, DRAWING, [self.draw, *drawings]))
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._both.setSpacing(16)
        self._both.addStretch(1)
        for way in self.ways:
            self._both.addWidget(way, 100)
        self._both.addStretch(1)
        content = QWidget()
        content.setObjectName("invitation")
        column = QVBoxLayout(content)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(16)
        column.addStretch(2)
        column.addWidget(self.title)
        column.addLayout(self._both)
        column.addStretch(3)
        self.area = QScrollArea()
        self.area.setWidget(content)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.area)
        self.set_theme(context.theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other sizes."""
        self._theme = theme
        self.title.setFont(look.sans(theme, 21, bold=True))
        for way in self.ways:
            way.set_theme(theme)
        self._turn()

    def show_state(self, doubt: str, *, running: bool) -> None:
        """What the window is for, above the two ways; or only that the document runs, or why it has not run."""
        self.title.setText(RUNNING if running else f"{doubt}\n{NOT_RUN} {RUN}" if doubt else TITLE)
        for way in self.ways:
            way.setVisible(not (doubt or running))

    def showEvent(self, event: QShowEvent) -> None:
        """Set the fonts again: the style sheet may have been set after them."""
        super().showEvent(event)
        self.set_theme(self._theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        is_wide = self.width() >= self._theme.px(WIDE)
        self._both.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)
        for way in self.ways:
            way.setMaximumWidth(self._theme.px(CARD) if is_wide else QWIDGETSIZE_MAX)

    def _button(self, example: Introduction) -> QPushButton:
        button = QPushButton(example.title.replace("&", "&&"))
        button.setToolTip(example.paragraph)
        button.setAccessibleDescription(example.paragraph)
        button.setProperty("example", str(example.path))
        button.clicked.connect(self._open)
        return button

    def _open(self) -> None:
        self._context.shell.files.open_example(str(self.sender().property("example")))


# -- starting to draw on an empty window

HELD = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)  # a letter with one of these is a shortcut


class DrawingStarter(QObject):
    """Watches what is shown in place of a canvas."""

    def __init__(self, shown: QWidget, shell: Shell, hands: Callable[[], Interactions]) -> None:
        super().__init__(shown)
        self._shell = shell
        self._hands = hands
        shown.setAcceptDrops(True)
        shown.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        shown.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._shell.store.state.document.is_blank:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonDblClick:
            return self._type_at(event.position())
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        if event.type() in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            assert isinstance(event, QDropEvent)
            return self._drop(event)
        return False

    def _begin(self) -> Interactions:
        from gradviz.document.drawing import Drawing
        from gradviz.ui.drawing.board import NEW

        self._shell.store.edit(NEW, Drawing())
        return self._hands()

    def _type_at(self, at: QPointF) -> bool:
        self._begin().typing.open(at)
        return True

    def _key(self, event: QKeyEvent) -> bool:
        text = event.text()
        if event.modifiers() & HELD or not text.isprintable() or not text.strip():
            return False
        self._shell.board.type_here(text)
        return True

    def _drop(self, event: QDropEvent) -> bool:
        from gradviz.ui.drawing.drag import MIME

        if not event.mimeData().hasFormat(MIME):
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self._begin().dropping.handle(event)
        return True
