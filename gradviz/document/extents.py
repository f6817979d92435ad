"""About how large the card of each node will be, from the drawing alone: the shapes of leaves are written down, those
of results follow roughly. It keeps first places apart (`arranging`); what is really painted is as large as the canvas
makes it once something has run."""

from __future__ import annotations

from graphlib import TopologicalSorter
from itertools import zip_longest

from gradviz.document.catalogue import catalogue, outputs
from gradviz.document.drawing import Drawing, Leaf, Node, Operation, Ref
from gradviz.document.leaf_forms import leaf_shape

Shape = tuple[int, ...]

WIDTH, HEADER, NOTE, LABEL = 150.0, 34.0, 16.0, 18.0  # of a card; of the gradient's label
NUMBER, NUMBER_GRAD = 24.0, 38.0
CELL = 46.0, 19.0
MAP = 205.0, 48.0  # of what is too large for a grid
MOST_ROWS, MOST_COLUMNS = 4, 5
BETWEEN = 34.0  # two results of one operation
EXPRESSION = 215.0  # of a card that has an expression and a shape for a header
LETTER, SMALL_LETTER, PADDING = 8.0, 5.8, 36.0


def extents(drawing: Drawing) -> dict[int, tuple[float, float]]:
    """Width and height of the card of each leaf, and of the cards of the results of each operation."""
    known: dict[int, tuple[Shape, bool]] = {}
    found: dict[int, tuple[float, float]] = {}
    before = {node.id: [ref.node for ref in _refs(node) if ref.node in drawing.by_id] for node in drawing.nodes}
    for id in TopologicalSorter(before).static_order():
        node = drawing.by_id[id]
        inputs = [known[one] for one in before[id]]
        tracked = node.requires_grad if isinstance(node, Leaf) else any(grad for _, grad in inputs)
        shape = leaf_shape(node) if isinstance(node, Leaf) else _result([one for one, _ in inputs], node)
        known[id] = shape, tracked
        width, height = _card(node, shape, tracked=tracked)
        found[id] = width, height + (_many(node) - 1) * (height + BETWEEN)
    return found


def _many(node: Node) -> int:
    """How many results there are, one under the other."""
    entry = catalogue().get(node.op) if isinstance(node, Operation) else None
    if entry is None or not isinstance(node, Operation):
        return 1
    return max(len(outputs(entry, node)), len(node.names), 1)


def _refs(node: Node) -> list[Ref]:
    return [one for one in node.inputs if isinstance(one, Ref)] if isinstance(node, Operation) else []


def _result(shapes: list[Shape], node: Operation) -> Shape:
    """The shape of a result, as most operations have it: a product of matrices, one number, or as its inputs."""
    entry = catalogue().get(node.op)
    if not shapes:
        return ()
    if entry is not None and entry.symbol == "@" and len(shapes) > 1:
        return (*shapes[0][:-1], *shapes[1][-1:]) if len(shapes[1]) > 1 else shapes[0][:-1]
    if node.op == "nn.functional.linear" and len(shapes) > 1:
        return (*shapes[0][:-1], *shapes[1][:1])
    if entry is not None and entry.category in ("reductions", "losses"):
        given = dict(node.params)
        return shapes[0][1:] if "dim" in given else ()
    backwards = zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1)
    return tuple(max(sizes) for sizes in backwards)[::-1]


def _card(node: Node, shape: Shape, *, tracked: bool) -> tuple[float, float]:
    count = 1
    for size in shape:
        count *= size
    columns = shape[-1] if shape else 1
    rows = count // max(columns, 1)
    if count < 2:
        width, value = 0.0, NUMBER
    elif len(shape) < 3 and columns <= MOST_COLUMNS and rows <= MOST_ROWS:
        width, value = columns * CELL[0] + 22, rows * CELL[1] + 4
    else:
        width, value = MAP
    gradient = NOTE if not tracked else NUMBER_GRAD if count < 2 else LABEL + value + 4
    return max(WIDTH, width, _header(node, shape, tracked=tracked)), HEADER + value + gradient


def _header(node: Node, shape: Shape, *, tracked: bool) -> float:
    """The name, and what stands beside it."""
    name = node.name if isinstance(node, Leaf) else "".join(node.names[:1])
    if not name:
        return EXPRESSION if shape else WIDTH
    words = f"{'leaf · ' if tracked and isinstance(node, Leaf) else ''}float32{list(shape) or ''}"
    return len(name) * LETTER + len(words) * SMALL_LETTER + PADDING
