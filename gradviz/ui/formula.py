"""Formulas drawn with real fractions, powers and roots. `laid_out` makes a box from an expression of the engine's
`expressions.py`; a box paints itself with any painter, so it is sharp at every size. `Formulas` shows boxes within the
text of a browser and copies each formula as one line.

Nothing is parsed: a fraction here was a fraction in the expression. The module is loaded when the first formula is
shown. Note [Why not ziamath] says why no library does it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from PySide6.QtCore import QMimeData, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPyTextObject,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTransform,
)
from PySide6.QtWidgets import QTextBrowser

from gradviz.engine.kernel.expressions import (
    Bracketed,
    Cases,
    Fraction,
    Math,
    Root,
    Row,
    Script,
    Sign,
    bare,
)
from gradviz.ui import look
from gradviz.ui.clipboard import empty_data

# Note [Why not ziamath]
#
# ziamath 0.13 (MIT, February 2026, with ziafont and latex2mathml 4 MB) was tried: MathML to SVG, which Qt draws. Its
# import takes 190 ms and each formula 6 ms, so that the first selection of a tensor would hold the window for eleven
# frames, and the reference of operations for seconds; its letters are of another font than the text. These boxes need
# 0.2 ms for a formula and the bundled fonts.

SMALLER = 0.74  # size of superscripts and subscripts
DEEPEST = 40  # nesting depth
HIGH, LOW = 0.76, 0.22  # height of a sign above and below its baseline, in font sizes
ROOM = 2.0  # pixels above and below a formula in a text
MARKS = "\u0302\u0303\u0304"  # above a letter
TALL = 1.4  # font sizes beyond which brackets are as tall as their contents


@dataclass(frozen=True)
class Glyphs:
    """Text whose baseline starts at `at`."""

    at: QPointF
    text: str
    font: QFont


@dataclass(frozen=True)
class Stroke:
    """The bar of a fraction, a root, or a tall bracket."""

    at: QPointF
    path: QPainterPath
    width: float


@dataclass(frozen=True)
class Box:
    """Marks, and their extent: `up` above the baseline, `down` below it."""

    width: float
    up: float
    down: float
    marks: tuple[Glyphs | Stroke, ...]

    def moved(self, x: float, y: float) -> tuple[Glyphs | Stroke, ...]:
        """The marks, moved, as part of another box."""
        by = QPointF(x, y)
        return tuple(replace(mark, at=mark.at + by) for mark in self.marks)

    def paint(self, painter: QPainter, at: QPointF, colour: QColor) -> None:
        """Paint it with the start of its baseline at a point."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for mark in self.marks:
            if isinstance(mark, Glyphs):
                painter.setPen(colour)
                painter.setFont(mark.font)
                painter.drawText(at + mark.at, mark.text)
            else:
                cap, join = Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin
                painter.setPen(QPen(colour, mark.width, Qt.PenStyle.SolidLine, cap, join))
                painter.drawPath(mark.path.translated(at + mark.at))
        painter.restore()


def laid_out(written: Math, size: float) -> Box | None:
    """The box of a formula at a text size in pixels; None if it contains words or is nested too deeply."""
    try:
        return _box(written, size, DEEPEST)
    except ValueError:
        return None


@lru_cache(4_000)
def stacked(written: Math, size: float, room: float) -> Box | None:
    """The same, with a line for each equals sign if one line does not fit; None if even that does not fit."""
    whole = laid_out(written, size)
    if whole is None or whole.width <= room or not isinstance(written, Row):
        return whole if whole is not None and whole.width <= room else None
    lines: list[list[Math]] = [[]]
    for part in written.parts:
        if part == Sign(" = ") and lines[-1]:
            lines.append([])
        lines[-1].append(part)
        if part == Sign(":  "):
            lines.append([])
    boxes = [_box(Row(tuple(line)), size, DEEPEST) for line in lines]
    return _below_each_other(boxes, size * 0.35) if max(box.width for box in boxes) <= room else None


def _below_each_other(boxes: list[Box], gap: float) -> Box:
    """Lines as one box, whose baseline is in the middle."""
    height = sum(box.up + box.down + gap for box in boxes) - gap
    marks: tuple[Glyphs | Stroke, ...] = ()
    y = -height / 2
    for box in boxes:
        marks += box.moved(0, y + box.up)
        y += box.up + box.down + gap
    return Box(max(box.width for box in boxes), height / 2, height / 2, marks)


def _box(written: Math, size: float, depth: int) -> Box:
    if not depth:
        raise ValueError("too deep")
    match written:
        case Sign(text, kind):
            return _sign(text, kind, size)
        case Row(parts):
            return _beside([_box(part, size, depth - 1) for part in parts])
        case Fraction(above, below):
            return _fraction(_box(bare(above), size, depth - 1), _box(bare(below), size, depth - 1), size)
        case Root(inside):
            return _root(_box(bare(inside), size, depth - 1), size)
        case Script():
            return _script(written, size, depth - 1)
        case Bracketed(inside, left, right):
            return _bracketed(_box(inside, size, depth - 1), left, right, size)
        case Cases():
            return _cases(written, size, depth - 1)


@lru_cache(64)
def _font(size: float, slants: bool) -> QFont:
    font = QFont()
    font.setFamilies(look.SANS)
    font.setPixelSize(max(1, round(size)))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    font.setItalic(slants)
    return font


@lru_cache(4_000)
def _advance(text: str, size: float, slants: bool) -> float:
    return QFontMetricsF(_font(size, slants)).horizontalAdvance(text)


@lru_cache(64)
def _axis(size: float) -> float:
    """The height of fraction bars above the baseline: the middle of a minus sign."""
    return -QFontMetricsF(_font(size, False)).tightBoundingRect("−").center().y()


def _sign(text: str, kind: str, size: float) -> Box:
    if kind == "prose":
        raise ValueError("words are not typeset")
    slants = kind == "name" and len(text.rstrip(MARKS)) == 1 and text[0].isalpha()
    if kind == "sum":
        size *= 1.3
    marks = (Glyphs(QPointF(), text, _font(size, slants)),)
    return Box(_advance(text, size, slants), HIGH * size, LOW * size, marks)


def _beside(boxes: Iterable[Box]) -> Box:
    x, up, down = 0.0, 0.0, 0.0
    marks: tuple[Glyphs | Stroke, ...] = ()
    for box in boxes:
        marks += box.moved(x, 0)
        x, up, down = x + box.width, max(up, box.up), max(down, box.down)
    return Box(x, up, down, marks)


def _line(*points: tuple[float, float]) -> QPainterPath:
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(QPointF(*point))
    return path


def _thickness(size: float) -> float:
    return max(1.0, size * 0.065)


def _fraction(above: Box, below: Box, size: float) -> Box:
    axis, gap, margin = _axis(size), size * 0.16, size * 0.14
    width = max(above.width, below.width) + 2 * margin
    bar = Stroke(QPointF(), _line((margin / 2, -axis), (width - margin / 2, -axis)), _thickness(size))
    over, under = -axis - gap - above.down, -axis + gap + below.up
    marks = (*above.moved((width - above.width) / 2, over), bar, *below.moved((width - below.width) / 2, under))
    return Box(width, above.up - over, below.down + under, marks)


def _root(inside: Box, size: float) -> Box:
    hook, pen = size * 0.55, _thickness(size)
    top, bottom = -inside.up - size * 0.12, inside.down - size * 0.06
    right = hook + inside.width + size * 0.08
    middle = bottom - (bottom - top) * 0.45
    path = _line((0, middle + size * 0.06), (hook * 0.28, middle), (hook * 0.58, bottom), (hook, top), (right, top))
    return Box(right, -top + pen, inside.down, (Stroke(QPointF(), path, pen), *inside.moved(hook, 0)))


def _script(written: Script, size: float, depth: int) -> Box:
    base, small = _box(written.base, size, depth), size * SMALLER
    raised = None if written.raised is None else _box(bare(written.raised), small, depth)
    lowered = None if written.lowered is None else _box(written.lowered, small, depth)
    if isinstance(written.base, Sign) and written.base.kind == "sum":
        return _with_limits(base, raised, lowered)
    marks, up, down, width = base.marks, base.up, base.down, base.width
    gap = size * 0.04
    if raised is not None:
        lift = max(base.up - raised.up * 0.55, size * 0.2 + raised.down)
        marks += raised.moved(base.width + gap, -lift)
        up, width = max(up, lift + raised.up), max(width, base.width + gap + raised.width)
    if lowered is not None:
        drop = max(size * 0.18, base.down - lowered.down * 0.3)
        marks += lowered.moved(base.width + gap, drop)
        down, width = max(down, drop + lowered.down), max(width, base.width + gap + lowered.width)
    return Box(width, up, down, marks)


def _with_limits(base: Box, raised: Box | None, lowered: Box | None) -> Box:
    """A sum with its index below."""
    width = max(box.width for box in (base, raised, lowered) if box is not None)
    marks, up, down = base.moved((width - base.width) / 2, 0), base.up, base.down
    if raised is not None:
        marks += raised.moved((width - raised.width) / 2, -up - raised.down)
        up += raised.up + raised.down
    if lowered is not None:
        marks += lowered.moved((width - lowered.width) / 2, down + lowered.up)
        down += lowered.up + lowered.down
    return Box(width, up, down, marks)


def _bracketed(inside: Box, left: str, right: str, size: float) -> Box:
    if inside.up + inside.down <= TALL * size:
        return _beside((_sign(left, "sign", size), inside, _sign(right, "sign", size)))
    axis = _axis(size)
    half = max(inside.up - axis, inside.down + axis)
    ends = [_high(sign, half, size) for sign in (left, right)]
    centred = [Box(box.width, half + axis, half - axis, box.moved(0, -axis)) for box in ends]
    return _beside((centred[0], inside, centred[1]))


def _high(sign: str, half: float, size: float) -> Box:
    """A bracket of any height, centred on the axis."""
    width, pen = size * 0.34, _thickness(size)
    near, far = width * 0.25, width * 0.85
    if sign in ("(", ")"):
        path = QPainterPath(QPointF(far, -half))
        path.cubicTo(QPointF(near, -half * 0.45), QPointF(near, half * 0.45), QPointF(far, half))
    elif sign in ("[", "]"):
        path = _line((far, -half), (near * 1.6, -half), (near * 1.6, half), (far, half))
    elif sign == "{":
        path = QPainterPath(QPointF(far, -half))
        path.cubicTo(QPointF(near, -half), QPointF(width * 0.75, 0), QPointF(0, 0))
        path.cubicTo(QPointF(width * 0.75, 0), QPointF(near, half), QPointF(far, half))
    else:
        path = _line((width * 0.35, -half), (width * 0.35, half))
        if sign == "‖":
            path.addPath(_line((width * 0.7, -half), (width * 0.7, half)))
    if sign in (")", "]"):
        path = QTransform(-1, 0, 0, 1, width, 0).map(path)
    return Box(width, half, half, (Stroke(QPointF(), path, pen),))


def _cases(written: Cases, size: float, depth: int) -> Box:
    """One line for each case, behind a brace; cases of the remainder are further lines."""
    cases: list[tuple[Math, Math]] = []
    rest, word = bare(written), "where "
    while isinstance(rest, Cases):
        cases.append((rest.one, Row((Sign(word, "word"), bare(rest.condition)))))
        rest, word = bare(rest.other), "else where "
    cases.append((rest, Sign("else", "word")))
    lines = [(_box(one, size, depth), _box(place, size, depth)) for one, place in cases]
    column, axis = max(one.width for one, _ in lines) + size * 0.9, _axis(size)
    rows = _below_each_other([_beside((replace(one, width=column), place)) for one, place in lines], size * 0.3)
    brace = _high("{", rows.up, size)
    marks = (*brace.moved(0, -axis), *rows.moved(brace.width + size * 0.1, -axis))
    return Box(brace.width + size * 0.1 + rows.width, rows.up + axis, rows.down - axis, marks)


class Formulas(QPyTextObject):
    """The formulas in the text of a browser, as pictures that are redrawn at every size."""

    def __init__(self, browser: QTextBrowser, words: dict[str, str]) -> None:
        """`words` receives each formula as a line of text; it is cleared before a text with other formulas is set."""
        super().__init__(browser)
        self._words = words
        self._shown: dict[str, tuple[Box, QColor]] = {}
        browser.document().documentLayout().registerHandler(QTextFormat.ObjectTypes.ImageObject.value, self)

    def html(self, written: Math | None, plain: str, size: float, room: float, colour: str) -> str:
        """The formula as rich text of this width; as plain text if it can't be typeset."""
        box = None if written is None else stacked(written, size, room)
        if box is None:
            return look.escape(plain)
        if not self._words:
            self._shown.clear()
        key = f"formula:{len(self._words)}:{box.width:.0f}"  # part of the key: another width, another text
        self._shown[key], self._words[key] = (box, QColor(colour)), plain
        words = look.escape(plain).replace("'", "&#39;")
        return f"<img src='{key}' alt='{words}' style='vertical-align:middle'>"

    def intrinsicSize(self, _: QTextDocument, __: int, format: QTextFormat) -> QSizeF:
        """The extent within the line, the same above and below its middle."""
        found = self._shown.get(format.toImageFormat().name())
        if found is None:
            return QSizeF(0, 0)
        box, middle = found[0], self._middle(format)
        return QSizeF(box.width, 2 * (max(box.up - middle, box.down + middle) + ROOM))

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, _: QTextDocument, __: int, format: QTextFormat
    ) -> None:
        """Draw it where the text places it."""
        found = self._shown.get(format.toImageFormat().name())
        if found is not None:
            box, colour = found
            box.paint(painter, QPointF(rect.left(), QRectF(rect).center().y() + self._middle(format)), colour)

    @staticmethod
    def _middle(format: QTextFormat) -> float:
        """Where Qt puts the middle of a picture above the baseline: a quarter of the height of an x."""
        return QFontMetricsF(format.toCharFormat().font()).xHeight() / 4

    def copied(self, cursor: QTextCursor) -> QMimeData:
        """The selection, with each formula as one line."""
        found, made = iter(self._selected(cursor)), empty_data()
        text = cursor.selection().toPlainText()
        made.setText("".join(next(found, "") if sign == "\ufffc" else sign for sign in text))
        return made

    def _selected(self, cursor: QTextCursor) -> list[str]:
        """The formulas within a selection, in order."""
        at, document = QTextCursor(cursor), cursor.document()
        words = []
        for place in range(cursor.selectionStart(), cursor.selectionEnd()):
            if document.characterAt(place) == "\ufffc":
                at.setPosition(place + 1)
                words.append(self._words.get(at.charFormat().toImageFormat().name(), ""))
        return words
