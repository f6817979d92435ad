"""The glass over the drawing canvas: what a gesture shows while it goes on, the port under the pointer, and the bubble
that says why something can't be. It takes no mouse and is hidden while it is empty. What is drawn for good is painted
by the canvas itself."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gradviz.ui import look
from gradviz.ui.theme import Theme

Paint = Callable[[QPainter], None]

STAYS = 6000  # milliseconds that a bubble is to be read
BUBBLE_WIDTH = 340
GAP = 16


class Layer(QWidget):
    """Paints `shown` and, above it, a bubble."""

    def __init__(self, over: QWidget, theme: Theme) -> None:
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setObjectName("gestureLayer")
        self.theme = theme
        self._over = over
        self._shown: tuple[Paint, ...] = ()
        self._bubble: tuple[str, QPointF] | None = None
        self._going = QTimer(self, singleShot=True, interval=STAYS)
        self._going.timeout.connect(self.drop_bubble)
        over.installEventFilter(self)
        self.hide()

    @property
    def sentence(self) -> str:
        """What the bubble says, "" for none."""
        return self._bubble[0] if self._bubble is not None else ""

    def show_these(self, *paints: Paint) -> None:
        """Paint these from now on; none clears the glass."""
        self._shown = paints
        self._renew()

    def say_no(self, sentence: str, at: QPointF) -> None:
        """Show beside a pixel why something can't be; it goes by itself."""
        self._bubble = (sentence, QPointF(at))
        self._going.start()
        self._renew()

    def drop_bubble(self) -> None:
        """Show no bubble any more."""
        self._going.stop()
        self._bubble = None
        self._renew()

    def paint_hint(self, painter: QPainter, sentence: str, at: QPointF) -> None:
        """A sentence beside a pixel that is no refusal."""
        theme = self.theme
        font = look.sans(theme, 12.5)
        width = QFontMetricsF(font).horizontalAdvance(sentence) + 2 * theme.px(9)
        box = QRectF(at.x() + GAP, at.y() + GAP, width, theme.px(28))
        box.moveRight(min(box.right(), self.width() - 4.0))
        box.moveBottom(min(box.bottom(), self.height() - 4.0))
        painter.setPen(QPen(QColor(theme.focus), 1.2))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(box, 6, 6)
        painter.setFont(font)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sentence)

    def _renew(self) -> None:
        seen = bool(self._shown or self._bubble)
        if seen:
            self.setGeometry(self._over.rect())
            self.raise_()
        self.setVisible(seen)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.setGeometry(self._over.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for paint in self._shown:
                painter.save()
                paint(painter)
                painter.restore()
            if self._bubble is not None:
                paint_bubble(painter, self.theme, *self._bubble, QRectF(self.rect()))


def paint_bubble(painter: QPainter, theme: Theme, sentence: str, at: QPointF, within: QRectF) -> None:
    """A sentence with a red outline and a sign, beside a pixel and inside of a box."""
    font = look.sans(theme, 12.5)
    metrics = QFontMetricsF(font)
    sign, pad = theme.px(16), theme.px(9)
    flags = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft)
    width = min(float(theme.px(BUBBLE_WIDTH)), within.width() - 3 * pad - sign)
    text = metrics.boundingRect(QRectF(0, 0, width, 1000), flags, sentence)
    box = QRectF(0, 0, text.width() + 3 * pad + sign + 1, max(text.height(), sign) + 2 * pad)
    box.moveTopLeft(at + QPointF(GAP, GAP))
    box.moveRight(min(box.right(), within.right() - 4))
    if box.bottom() > within.bottom() - 4:
        box.moveBottom(at.y() - GAP)
    box.moveLeft(max(box.left(), within.left() + 4))
    painter.setPen(QPen(QColor(theme.error), 1.6))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(box, 7, 7)
    tint = QColor(theme.error_fill)
    painter.setBrush(tint)
    painter.drawRoundedRect(box, 7, 7)
    _paint_no(painter, theme, QRectF(box.left() + pad, box.top() + pad, sign, sign))
    painter.setFont(font)
    painter.setPen(QColor(theme.text))
    painter.drawText(
        QRectF(box.left() + 2 * pad + sign, box.top() + pad, text.width() + 1, text.height()), flags, sentence
    )


def _paint_no(painter: QPainter, theme: Theme, box: QRectF) -> None:
    """The sign of what can't be: a circle with a bar."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.error), 2.2))
    inner = box.adjusted(1.5, 1.5, -1.5, -1.5)
    painter.drawEllipse(inner)
    reach = inner.width() / 2 * 0.7
    painter.drawLine(inner.center() - QPointF(reach, -reach), inner.center() + QPointF(reach, -reach))
