"""The sizes of cards and operations in world units (pixels at zoom 1), and the names of a diagram's items. Sizes depend
on names and shapes, never on values or the cursor, so that nothing moves while stepping; only visible items are
measured. `diagram` requests the sizes, `item_painter` draws within them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QFont, QFontMetricsF

from gradviz.document.tables import MOST_COLUMNS, table_of
from gradviz.trace.table.modules import scope_name
from gradviz.ui import look
from gradviz.ui.theme import LIGHT

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.canvas.groups import Groups


HEADER = 26.0
PAD = 11.0
LINE = 24.0  # height of a number
NOTE = 14.0  # height of small text
CELL_WIDTH, CELL_HEIGHT = 46.0, 19.0
CELL_MAX = 72.0
MAP_WIDTH, MAP_HEIGHT = 78.0, 44.0
SUMMARY_WIDTH = 93.0
CARD_MIN, CARD_MAX, EXPRESSION_MAX = 150.0, 420.0, 250.0
BADGE_HEIGHT, BADGE_GAP, BADGE_WIDTH = 22.0, 8.0, 182.0
RADIUS = 20.0
TAB_HEIGHT, TAB_GAP, TAB_PAD = 17.0, 9.0, 6.0
TAB_BETWEEN, TAB_LEAST, TAB_LINE = 4.0, 20.0, 20.0
LABEL_HEIGHT, LABEL_GAP = 15.0, 7.0
LABEL_MAX = 235.0
OVERHANG = 16.0  # how far labels may extend into the gap between columns
MARGIN = 30.0  # how far labels, marks and halos extend beyond the box of an item at most
REFERENCE_HEIGHT = 26.0
PORT_PITCH, PORT_SPREAD = 13.0, 30.0

NAME, META, NUMBER, GRAD, CELL = "name", "meta", "number", "grad", "cell"
SMALL, SYMBOL, TAB = "small", "symbol", "tab"


def fonts() -> dict[str, QFont]:
    """The fonts of the canvas by role: one family for words, one for code and numbers, in four sizes."""
    return {
        NAME: look.mono(LIGHT, 13, bold=True),
        META: look.sans(LIGHT, 11),
        NUMBER: look.mono(LIGHT, 16),
        CELL: look.mono(LIGHT, 11),
        GRAD: look.mono(LIGHT, 16, bold=True),
        SMALL: look.sans(LIGHT, 11),
        SYMBOL: look.sans(LIGHT, 20),
        TAB: look.sans(LIGHT, 11),
    }


class Measure(Protocol):
    """Anything that knows the width of a text."""

    def width(self, role: str, text: str) -> float:
        """The width of one line in the font of that role."""


class Ruler:
    """Widths of texts, cached."""

    def __init__(self) -> None:
        look.load_fonts()
        self._advance: dict[str, Callable[[str], float]] = {
            role: QFontMetricsF(font).horizontalAdvance for role, font in fonts().items()
        }
        self._known: dict[tuple[str, str], float] = {}

    def width(self, role: str, text: str) -> float:
        """The width of one line in the font of that role."""
        key = (role, text)
        if key not in self._known:
            self._known[key] = self._advance[role](text)
        return self._known[key]


@dataclass(frozen=True)
class Shape:
    """How an array is displayed: as a "number", as a "grid" of numbers, or as a "map"; `rows` and `columns` are those
    of the grid, and its cells are so many times as wide as those of real numbers."""

    kind: str
    rows: int
    columns: int
    cell: int = 1

    @property
    def width(self) -> float:
        """Without the padding of the card."""
        if self.kind == "grid":
            return self.columns * self.cell * CELL_WIDTH
        return MAP_WIDTH + 10 + SUMMARY_WIDTH if self.kind == "map" else 0.0

    @property
    def height(self) -> float:
        """Of the value alone."""
        if self.kind == "grid":
            return self.rows * CELL_HEIGHT + 4
        return MAP_HEIGHT + 4 if self.kind == "map" else LINE


def shape_of(shape: tuple[int, ...], dtype: str = "") -> Shape:
    """How an array of this shape is displayed; a complex number takes the room of two."""
    count = 1
    for size in shape:
        count *= size
    rows, columns = (1, count) if len(shape) < 2 else (count // max(shape[-1], 1), shape[-1])
    if count < 2:
        return Shape("number", 1, 1)
    cell, table = 2 if dtype.startswith("complex") else 1, table_of(shape)
    if table is not None and table[1] * cell <= MOST_COLUMNS:
        return Shape("grid", *table, cell)
    return Shape("map", rows, columns)


def shape_text(dtype: str, shape: tuple[int, ...]) -> str:
    """The type as written on a card: "float32" or "float32 [2, 3]"."""
    return f"{dtype} {list(shape)}" if shape else dtype


def card_size(
    ruler: Measure, name: str, meta: str, shape: Shape, *, grad: bool, badge: bool, expression: bool
) -> tuple[float, float]:
    """Width and height of a tensor's card, without the badge below it. An expression used as a name may be cut off."""
    header = ruler.width(NAME, name) + ruler.width(META, meta) + 2 * PAD + 14
    header = min(header, EXPRESSION_MAX if expression else CARD_MAX)
    width = max(BADGE_WIDTH if badge else CARD_MIN, header, shape.width + 2 * PAD)
    height = HEADER + 4 + shape.height + 4
    height += grad_height(shape) if grad else NOTE + 2
    return round(width), round(height)


def grad_height(shape: Shape) -> float:
    """Height of the gradient row: a label and a note, and the gradient itself if it is an array."""
    return LINE + NOTE if shape.kind == "number" else 18 + shape.height + 4


def tabs_width(ruler: Measure, names: tuple[str, ...]) -> float:
    """The width that a layout reserves for the row of saved buffers, based on PyTorch's names for them. The names on
    screen change from step to step and are cut off if they don't fit."""
    return sum(ruler.width(TAB, name) + 2 * TAB_PAD for name in names) + TAB_BETWEEN * max(len(names) - 1, 0)


def tab_widths(ruler: Measure, names: tuple[str, ...], room: float) -> list[float]:
    """The width of each tab in a row: that of its name, except that the longest ones share what room is left."""
    left, widths = room - TAB_BETWEEN * (len(names) - 1), [ruler.width(TAB, name) + 2 * TAB_PAD for name in names]
    for nth, at in enumerate(sorted(range(len(names)), key=widths.__getitem__)):
        widths[at] = min(widths[at], max(left / (len(names) - nth), TAB_LEAST))
        left -= widths[at]
    return widths


def symbol_width(ruler: Measure, symbol: str) -> float:
    """Width of the circle, or of the rounded box if the symbol is a word."""
    return max(2 * RADIUS, ruler.width(SYMBOL if len(symbol) < 3 else NAME, symbol) + 20)


_Tab = TypeVar("_Tab")


def tabs_fit(ruler: Measure, names: tuple[str, ...], width: float) -> bool:
    """Whether tabs fit in one row above an operation whose box is so wide."""
    return tabs_width(ruler, names) <= width + 2 * (MARGIN - 2)


def tab_rows(tabs: tuple[_Tab, ...], *, vertical: bool, fit: bool = True) -> list[tuple[_Tab, ...]]:
    """The saved buffers as they are arranged: above the circle in one row, or in two if they don't `fit`; beside it in
    two short rows."""
    if (fit and not vertical) or len(tabs) < (3 if vertical else 2):
        return [tabs] if tabs else []
    half = -(-len(tabs) // 2)
    return [tabs[:half], tabs[half:]]


def operation_size(
    ruler: Measure,
    symbol: str,
    label: str,
    scope: str,
    saved: tuple[str, ...],
    kept: tuple[str, ...] = (),
    *,
    vertical: bool = False,
) -> tuple[float, float]:
    """Width and height of an operation with its tabs and labels around the circle in the middle; `kept` are the names
    of what it saves, as far as they are known. If edges come from above, the labels are on its right and the tabs on
    its left."""
    words = max(min(LABEL_MAX, ruler.width(SMALL, text)) for text in (label, scope))
    if vertical:
        tabs = max((tabs_width(ruler, row) for row in tab_rows(saved, vertical=True)), default=0.0)
        beside = max(words + LABEL_GAP, tabs + TAB_GAP)
        return round(symbol_width(ruler, symbol) + 2 * beside + 4), round(2 * RADIUS + 6)
    words = max(words, tabs_width(ruler, saved))
    width = max(symbol_width(ruler, symbol), words - 2 * OVERHANG)
    below = LABEL_GAP + LABEL_HEIGHT * (2 if scope else 1)
    rows = len(tab_rows(kept or saved, vertical=False, fit=tabs_fit(ruler, kept, width)))
    above = TAB_GAP + rows * TAB_LINE - (TAB_LINE - TAB_HEIGHT) if rows else 0.0
    return round(width + 6), round(2 * (RADIUS + max(above, below)))


def reference_size(ruler: Measure, name: str) -> tuple[float, float]:
    """Width and height of the small tag that stands for a tensor drawn elsewhere."""
    return round(min(CARD_MAX, ruler.width(NAME, name) + 34)), REFERENCE_HEIGHT


GROUP_TITLE = 28.0
TRIANGLE = 22.0
GROUP_LINE = 18.0
GROUP_BAR = 14.0
NARROWEST_GROUP, WIDEST_GROUP = 190.0, 340.0
FRAME_TITLE = 26.0


def group_size(ruler: Measure, title: str, detail: str) -> tuple[float, float]:
    """Width and height of a closed group."""
    width = max(ruler.width(NAME, title) + TRIANGLE, ruler.width(META, detail)) + 2 * PAD
    height = GROUP_TITLE + (GROUP_LINE if detail else 0.0) + 2 * GROUP_LINE + GROUP_BAR + PAD
    return round(min(max(width, NARROWEST_GROUP), WIDEST_GROUP)), round(height)


def frame_header(ruler: Measure, title: str, detail: str) -> tuple[float, float]:
    """Minimum width and height of the title of an open group."""
    width = ruler.width(NAME, title) + TRIANGLE + 2 * PAD
    if detail:
        width += ruler.width(META, detail) + PAD
    return round(min(width, 2 * WIDEST_GROUP)), FRAME_TITLE


# -- the items of a diagram

TENSOR, OPERATION, REFERENCE, GROUP = range(4)
LEAF, CONSTANT, INTERMEDIATE, OUTPUT, OP, PLAIN_OP, FOLDED = CATEGORIES = range(7)
MODULES = re.compile(r"\b(?:torch\.nn\.functional|torch|self|nn|F)\.(?=[\w.]+\()")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Look:
    """One entry per item: category, size with and without its surroundings, name, and whether gradients accumulate
    there."""

    category: NDArray[np.uint8]
    size: Floats
    card: Floats
    names: list[str]
    badge: Flags


def measure(
    trace: Trace, groups: Groups, ruler: Measure, kind: NDArray[np.uint8], index: Ints, *, vertical: bool = False
) -> Look:
    """The looks of all items; `index` is the number of the group for closed groups."""
    known = _KnownOfTensors(trace)
    tensor = (kind == TENSOR) | (kind == REFERENCE)
    operation, group = kind == OPERATION, kind == GROUP
    category = np.full(len(kind), FOLDED, np.uint8)
    category[operation] = np.where(trace.nodes.sequence_nr >= 0, OP, PLAIN_OP)[index[operation]]
    category[tensor] = known.category[index[tensor]]
    size, card = np.empty((len(kind), 2)), np.empty((len(kind), 2))
    size[operation], card[operation] = _operations(trace, ruler, index[operation], vertical)
    badge = kind == TENSOR
    badge[tensor] &= known.badged[index[tensor]]
    names = [""] * len(kind)
    shown = [_on_card(name) for name in trace.naming.shown_at_end(index[tensor])]
    size[tensor] = known.sizes(ruler, index[tensor], kind[tensor] == REFERENCE, shown)
    for item, name in zip(np.flatnonzero(tensor).tolist(), shown, strict=True):
        names[item] = name
    for item in np.flatnonzero(group).tolist():
        names[item] = groups.title[index[item]]
        size[item] = group_size(ruler, names[item], groups.detail[index[item]])
    card[~operation] = size[~operation]
    size[badge, 1] += BADGE_GAP + BADGE_HEIGHT
    return Look(category, size, card, names, badge)


def _operations(trace: Trace, ruler: Measure, nodes: Ints, vertical: bool) -> tuple[Floats, Floats]:
    """Sizes of operations and of their circles; those with the same words are measured once."""
    saved = _saved_names(trace, nodes)
    kept = _kept_names(trace, saved)
    known: dict[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], int] = {}
    different: list[tuple[float, float, float, float]] = []
    which = []
    texts = zip(*operation_texts(trace, nodes), strict=True)
    for node, text in zip(nodes.tolist(), texts, strict=True):
        words = (*text, saved.get(node, ()), kept.get(node, ()))
        at = known.setdefault(words, len(different))
        if at == len(different):
            box = operation_size(ruler, *words, vertical=vertical)
            different.append((*box, symbol_width(ruler, words[0]), 2 * RADIUS))
        which.append(at)
    found = np.array(different, np.float64).reshape(-1, 4)[which]
    return found[:, :2], found[:, 2:]


class _KnownOfTensors:
    """What the trace as a whole says about each tensor, independent of the cursor."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.requires = trace.tensors.requires_grad.astype(bool)
        np.logical_or.at(self.requires, trace.flags.tensor, trace.flags.requires_grad)
        self.bound = np.zeros(len(trace.tensors), bool)
        self.bound[trace.names.tensor] = True
        self.versioned = trace.tensors.version > 0
        self.versioned[trace.writes.tensor] = True
        self.badged = np.zeros(len(trace.tensors), bool)
        self.badged[trace.arrivals.tensor[(trace.arrivals.expected > 1) & (trace.arrivals.tensor >= 0)]] = True
        tracked = np.where(trace.tensors.is_leaf, LEAF, INTERMEDIATE)
        self.category = np.where(self.requires, tracked, CONSTANT)
        self.category[trace.roots.tensor] = OUTPUT
        marks = (self.requires, self.bound, self.versioned, self.badged, trace.tensors.is_parameter.astype(bool))
        self._kind = len(CATEGORIES) * (2 ** np.arange(len(marks)) @ np.array(marks)) + self.category

    def sizes(self, ruler: Measure, tensors: Ints, tag: Flags, names: list[str]) -> Floats:
        """The sizes of tags, and of cards for everything they will say; computed once for all that say the same."""
        columns = self._trace.tensors
        known: dict[tuple[object, ...], int] = {}
        different: list[tuple[float, float]] = []
        which: list[int] = []
        marks = np.where(tag, -1, self._kind[tensors]).tolist()
        for key in zip(names, marks, columns.shape[tensors], columns.dtype[tensors], strict=True):
            at = known.setdefault(key, len(different))
            if at == len(different):
                name, is_tag = key[0], key[1] < 0
                tensor = int(tensors[len(which)])
                different.append(reference_size(ruler, name) if is_tag else self._card_size(ruler, tensor, name))
            which.append(at)
        return np.array(different, np.float64).reshape(-1, 2)[which]

    def _card_size(self, ruler: Measure, tensor: int, name: str) -> tuple[float, float]:
        meta = meta_text(self._trace, tensor, int(self.category[tensor]))
        return card_size(
            ruler,
            name,
            f"v10 · {meta}" if self.versioned[tensor] else meta,
            shape_of(self._trace.tensors.shape[tensor], str(self._trace.tensors.dtype[tensor])),
            grad=bool(self.requires[tensor]),
            badge=bool(self.badged[tensor]),
            expression=not self.bound[tensor],
        )


def _saved_names(trace: Trace, nodes: Ints) -> dict[int, tuple[str, ...]]:
    seen = np.zeros(len(trace.nodes), bool)
    seen[nodes] = True
    rows = np.flatnonzero(seen[trace.saved.node])
    rows = rows[np.argsort(trace.saved.node[rows], kind="stable")]
    node, name = trace.saved.node[rows], trace.saved.name[rows].tolist()
    starts = np.flatnonzero(np.diff(node, prepend=-1))
    own = pairwise([*starts.tolist(), len(rows)])
    return {one: tuple(name[low:high]) for one, (low, high) in zip(node[starts].tolist(), own, strict=True)}


def _kept_names(trace: Trace, saved: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """The names at the end of the tensors that each of these nodes saves, for nodes that save several."""
    several = np.zeros(len(trace.nodes), bool)
    several[[node for node, names in saved.items() if len(names) > 1]] = True
    rows = np.flatnonzero(several[trace.saved.node] & (trace.saved.tensor >= 0))
    found: dict[int, tuple[str, ...]] = {}
    names = trace.naming.shown_at_end(trace.saved.tensor[rows])
    for node, name in zip(trace.saved.node[rows].tolist(), names, strict=True):
        found[node] = *found.get(node, ()), _on_card(name)
    return found


def card_name(trace: Trace, tensor: int, cursor: int) -> str:
    """The name on a card: as in the snippet, but in expressions without the modules of functions."""
    return _on_card(trace.naming.shown(tensor, cursor))


def _on_card(name: str) -> str:
    return MODULES.sub("", name) if "(" in name else name


def operation_text(trace: Trace, node: int) -> tuple[str, str, str]:
    """Symbol, label and scope of an operation."""
    symbols, labels, scopes = operation_texts(trace, np.array([node]))
    return symbols[0], labels[0], scopes[0]


def operation_texts(trace: Trace, nodes: Ints) -> tuple[list[str], list[str], list[str]]:
    """The symbols, labels and scopes of operations."""
    columns = trace.nodes
    name, op = columns.name[nodes].tolist(), columns.op[nodes].tolist()
    labels = [one or other for one, other in zip(name, op, strict=True)]
    return columns.symbol[nodes].tolist(), labels, [scope_name(trace, node) for node in nodes.tolist()]


def meta_text(trace: Trace, tensor: int, category: int, dtype: str = "") -> str:
    """The text on the right of a card's header; `dtype` is that of a moment."""
    tensors = trace.tensors
    kind = shape_text(dtype or str(tensors.dtype[tensor]), tensors.shape[tensor])
    if category == LEAF:
        return f"{'parameter' if tensors.is_parameter[tensor] else 'leaf'} · {kind}"
    return f"output · {kind}" if category == OUTPUT else kind
