"""Initial positions for nodes that come from code: in layers from left to right, a long chain in rows like text, in
plain Python, without covering what exists. Not the layout that "Tidy Up" uses, which knows the sizes of everything and
takes its time (`layout`)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import zip_longest
from math import ceil, inf, nextafter, sqrt

from gradviz.document.catalogue import catalogue, outputs
from gradviz.document.drawing import Drawing, Leaf, Node, Operation, Ref
from gradviz.document.leaf_forms import leaf_shape
from gradviz.document.tables import table_of

# -- the approximate size of each node's card, from the drawing alone: leaves state their shapes, those of results
# follow
# roughly. The canvas determines the real size once something has run.

Shape = tuple[int, ...]

WIDTH, HEADER, NOTE, LABEL = 150.0, 34.0, 16.0, 18.0  # for a card; for the gradient's label
NUMBER, NUMBER_GRAD = 24.0, 38.0
CELL = 46.0, 19.0
MAP = 205.0, 48.0  # for what is too large for a grid
BETWEEN_RESULTS = 34.0  # two results of one operation
EXPRESSION = 215.0  # for a card that has an expression and a shape as its header
LETTER, SMALL_LETTER, PADDING = 8.0, 5.8, 36.0


def extents(drawing: Drawing) -> dict[int, tuple[float, float]]:
    """Return the width and height of the card of each leaf, and of the cards of each operation's results."""
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
        found[id] = width, height + (_many(node) - 1) * (height + BETWEEN_RESULTS)
    return found


def _many(node: Node) -> int:
    """Return the number of results, which are stacked."""
    entry = catalogue().get(node.op) if isinstance(node, Operation) else None
    if entry is None or not isinstance(node, Operation):
        return 1
    return max(len(outputs(entry, node)), len(node.names), 1)


def _refs(node: Node) -> list[Ref]:
    return [one for one in node.inputs if isinstance(one, Ref)] if isinstance(node, Operation) else []


def _result(shapes: list[Shape], node: Operation) -> Shape:
    """Return the shape of a result, as for most operations: of a matrix product, one number, or like its inputs."""
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
    table = table_of(shape)
    if count < 2:
        width, value = 0.0, NUMBER
    elif table is not None:
        width, value = table[1] * CELL[0] + 22, table[0] * CELL[1] + 4
    else:
        width, value = MAP
    gradient = NOTE if not tracked else NUMBER_GRAD if count < 2 else LABEL + value + 4
    return max(WIDTH, width, _header(node, shape, tracked=tracked)), HEADER + value + gradient


def _header(node: Node, shape: Shape, *, tracked: bool) -> float:
    """Return the width of the name and what stands beside it."""
    name = node.name if isinstance(node, Leaf) else "".join(node.names[:1])
    if not name:
        return EXPRESSION if shape else WIDTH
    words = f"{'leaf · ' if tracked and isinstance(node, Leaf) else ''}float32{list(shape) or ''}"
    return len(name) * LETTER + len(words) * SMALL_LETTER + PADDING


STEP = 320.0  # from one operation to the next, with the card of its result between them
CARD = 140.0  # from an operation to the centre of its result's card, where leaves of its column stand
BESIDE = 65.0  # from an operation to the left edge of that card
AIR = 150.0  # part of a step that is not covered by cards
ROW = 120.0
UNDER, UNDER_SUM = 24.0, 52.0  # part of a row that is not covered by cards: tabs, labels; with the sum of gradients
NEAR = 90.0, 45.0  # nodes closer than this overlap
GAP = 40.0  # between a node inserted into a wire and the nodes that made room for it
SWEEPS = 4
ONE_ROW = 5  # columns that are never broken into rows
LEAST = 3  # columns of a row
ASPECT = 1.7  # of the page that the rows of a long chain fill
BETWEEN = 0.6  # as a fraction of a row, between two rows of columns, where the wires go back

Cards = dict[int, tuple[float, float]]  # the size of each node's card


def arrange(drawing: Drawing, only: Iterable[int] | None = None) -> Drawing:
    """Return the drawing with these nodes arranged, beside what they are connected with; without numbers, all that are
    not pinned."""
    chosen = {node.id for node in drawing.nodes if not node.pinned} if only is None else set(only)
    new = [node for node in drawing.nodes if node.id in chosen]
    if not new:
        return drawing
    cards = extents(drawing)
    ground = _Ground(drawing, chosen, cards)
    users = _users(drawing)
    places: dict[int, tuple[float, float]] = {}
    for part in _parts(new, users, chosen):
        block = _block(part, users, cards)
        at = _anchor(drawing, part, block, users, chosen) or ground.below()
        places |= ground.take(block, at)
    nodes = (replace(node, x=places[node.id][0], y=places[node.id][1]) if node.id in places else node
             for node in drawing.nodes)  # fmt: skip
    return replace(drawing, nodes=tuple(nodes))


def uncovered(drawing: Drawing, new: Iterable[int]) -> Drawing:
    """Return the drawing with new nodes where they are, or arranged if one of them overlaps another node."""
    chosen = set(new)
    fresh = [node for node in drawing.nodes if node.id in chosen]
    covers = (
        abs(node.x - other.x) < NEAR[0] and abs(node.y - other.y) < NEAR[1]
        for node in fresh
        for other in drawing.nodes
        if other.id not in chosen
    )
    return arrange(drawing, chosen) if any(covers) else drawing


def cleared(drawing: Drawing, new: Iterable[int]) -> Drawing:
    """Return the drawing with new nodes in the same relative positions, moved down far enough to cover nothing that
    existed."""
    chosen = set(new)
    block = {node.id: (node.x, node.y) for node in drawing.nodes if node.id in chosen}
    places = _Ground(drawing, chosen, extents(drawing)).take(block, None)
    nodes = (replace(node, x=places[node.id][0], y=places[node.id][1]) if node.id in places else node
             for node in drawing.nodes)  # fmt: skip
    return drawing if places == block else replace(drawing, nodes=tuple(nodes))


def made_room(drawing: Drawing, new: int) -> Drawing:
    """Return the drawing in which nodes to the right of a new node have moved further right if the new one overlaps any
    of them; pinned nodes stay, and a comment that contains it becomes wider."""
    cards, node = extents(drawing), drawing.by_id[new]
    mine = _spot(node, node.x, node.y, cards[new])
    after = [one for one in drawing.nodes if one.x > node.x and one.id != new and not one.pinned]
    spots = [_spot(one, one.x, one.y, cards[one.id]) for one in after]
    covered = [
        spot.left for spot in spots if spot.left < mine.right and mine.top < spot.bottom and spot.top < mine.bottom
    ]
    if not covered:
        return drawing
    way, gone = mine.right + GAP - min(covered), {one.id for one in after}
    nodes = (replace(one, x=one.x + way) if one.id in gone else one for one in drawing.nodes)
    comments = (
        replace(one, x=one.x + way) if one.x > node.x
        else replace(one, width=one.width + way) if one.x + one.width > node.x
        else one
        for one in drawing.comments
    )  # fmt: skip
    return replace(drawing, nodes=tuple(nodes), comments=tuple(comments))


def with_room(before: Drawing, drawing: Drawing) -> Drawing:
    """Return a drawing after a change that made cards larger: what they cover now has moved away, with all that is
    beyond it, to the side on which it was; pinned nodes stay."""
    old, new = extents(before), extents(drawing)
    larger = [id for id, size in new.items() if id in old and (size[0] > old[id][0] or size[1] > old[id][1])]
    for id in sorted(larger, key=lambda id: drawing.by_id[id].x):
        drawing = _pushed(drawing, id, old[id], new)
    return drawing


def _pushed(drawing: Drawing, id: int, old: tuple[float, float], cards: Cards) -> Drawing:
    """Move away what the card of a node covers that it did not cover when it was smaller."""
    node = drawing.by_id[id]
    was, now = _spot(node, node.x, node.y, old), _spot(node, node.x, node.y, cards[id])
    spots = {one.id: _spot(one, one.x, one.y, cards[one.id]) for one in drawing.nodes if one.id != id}
    across, down = dict.fromkeys(spots, 0.0), dict.fromkeys(spots, 0.0)
    for spot in (one for one in spots.values() if one.meets(now) and not one.meets(was)):
        for one, other in spots.items():
            if spot.top >= was.bottom:
                down[one] = max(down[one], now.bottom - spot.top) if other.top >= spot.top else down[one]
            elif spot.bottom <= was.top:
                down[one] = min(down[one], now.top - spot.bottom) if other.bottom <= spot.bottom else down[one]
            elif spot.left >= was.right:
                across[one] = max(across[one], now.right - spot.left) if other.left >= spot.left else across[one]
            else:
                across[one] = min(across[one], now.left - spot.right) if other.right <= spot.right else across[one]
    nodes = (
        one if one.id == id or one.pinned else replace(one, x=one.x + across[one.id], y=one.y + down[one.id])
        for one in drawing.nodes
    )
    return replace(drawing, nodes=tuple(nodes))


def _operands(node: Node) -> list[int]:
    """Return the nodes where its wires come from, each once."""
    if isinstance(node, Leaf):
        return []
    return list(dict.fromkeys(operand.node for operand in node.inputs if isinstance(operand, Ref)))


def _users(drawing: Drawing) -> dict[int, list[int]]:
    users: dict[int, list[int]] = defaultdict(list)
    for node in drawing.nodes:
        for source in _operands(node):
            users[source].append(node.id)
    return users


def _parts(new: list[Node], users: dict[int, list[int]], chosen: set[int]) -> list[list[Node]]:
    """Return the connected components."""
    known = {node.id: node for node in new}
    order = {node.id: at for at, node in enumerate(new)}
    parts: list[list[Node]] = []
    seen: set[int] = set()
    for node in new:
        if node.id in seen:
            continue
        seen.add(node.id)
        waiting, found = [node.id], {node.id}
        while waiting:
            id = waiting.pop()
            for other in (*_operands(known[id]), *users[id]):
                if other in chosen and other in known and other not in found:
                    found.add(other)
                    waiting.append(other)
        seen |= found
        parts.append([known[id] for id in sorted(found, key=order.__getitem__)])
    return parts


def _layers(part: list[Node], users: dict[int, list[int]]) -> dict[int, int]:
    """Return the column of each node: as far left as its inputs allow; a leaf is directly before its first use."""
    known = {node.id: node for node in part}
    waiting = {node.id: sum(source in known for source in _operands(node)) for node in part}
    ready = [id for id, count in waiting.items() if not count]
    layer = dict.fromkeys(ready, 0)
    for id in ready:  # grows during the iteration
        for user in users[id]:
            if user in known:
                layer[user] = max(layer.get(user, 0), layer[id] + 1)
                waiting[user] -= 1
                if not waiting[user]:
                    ready.append(user)
    for node in part:
        layer.setdefault(node.id, 0)
        mine = [layer[user] for user in users[node.id] if user in known]
        if mine and isinstance(node, Leaf):
            layer[node.id] = min(mine) - 1
    return layer


def _block(part: list[Node], users: dict[int, list[int]], cards: Cards) -> dict[int, tuple[float, float]]:
    """Return the positions of connected nodes around (0, 0)."""
    known = {node.id: node for node in part}
    layer = _layers(part, users)
    columns: dict[int, list[int]] = defaultdict(list)
    for node in part:
        columns[layer[node.id]].append(node.id)
    near = {id: _near(id, known, users) for id in known}
    uses = Counter(one.node for node in part for one in _refs(node))
    under = {id: UNDER_SUM if uses[id] > 1 else UNDER for id in known}
    height = {id: float(at) for ids in columns.values() for at, id in enumerate(ids)}
    for sweep in range(SWEEPS):
        for column in sorted(columns, reverse=sweep % 2 == 1):
            wish = {id: _mean([height[one] for one in near[id]], height[id]) for id in columns[column]}
            columns[column].sort(key=wish.__getitem__)
            heavy = [not isinstance(known[id], Leaf) for id in columns[column]]
            tall = [max((cards[id][1] + under[id]) / ROW, 1.0) for id in columns[column]]
            found = _apart([wish[id] for id in columns[column]], heavy, tall)
            height |= zip(columns[column], found, strict=True)
    left = _lefts(columns, cards)
    spot = {id: left[layer[id]] + (BESIDE + cards[id][0] / 2 if isinstance(known[id], Leaf) else 0.0) for id in known}
    first = {id: layer[id] if isinstance(node, Leaf) else max(layer[id] - 1, 0) for id, node in known.items()}
    return _in_rows({id: (spot[id], height[id] * ROW) for id in known}, first, left, cards)


def _in_rows(
    block: dict[int, tuple[float, float]], column: dict[int, int], left: dict[int, float], cards: Cards
) -> dict[int, tuple[float, float]]:
    """Return a block unchanged or, if it has more columns than can be read side by side, in rows, one below the other.
    `column` counts a leaf with its first user, so that it begins a row with it."""
    count = max(column.values()) + 1
    if count <= ONE_ROW:
        return block
    tall = max(y for _, y in block.values()) - min(y for _, y in block.values()) + (1 + BETWEEN) * ROW
    rows = ceil(count / max(LEAST, sqrt(count * tall * ASPECT / STEP)))
    many = ceil(count / rows)
    found: dict[int, tuple[float, float]] = {}
    bottom = 0.0
    for row in range(rows):
        here = [id for id in block if column[id] // many == row]
        if not here:
            continue
        top = min(block[id][1] - cards[id][1] / 2 for id in here)
        down = bottom + BETWEEN * ROW - top if row else 0.0
        found |= {id: (block[id][0] - left[row * many] + left[0], block[id][1] + down) for id in here}
        bottom = max(block[id][1] + cards[id][1] / 2 for id in here) + down
    return found


def _lefts(columns: dict[int, list[int]], cards: Cards) -> dict[int, float]:
    """Return the left edge of each column's operations: each column is as wide as its widest card needs."""
    found, x = {}, 0.0
    for column in sorted(columns):
        found[column] = x
        x += max(STEP, AIR + max(cards[id][0] for id in columns[column]))
    return found


def _near(id: int, known: dict[int, Node], users: dict[int, list[int]]) -> list[int]:
    """Return the nodes to align a node with: operations, so that a chain is straight; leaves only if there are none."""
    found = [other for other in (*_operands(known[id]), *users[id]) if other in known]
    return [other for other in found if isinstance(known[other], Operation)] or found


def _mean(numbers: list[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _apart(wishes: list[float], heavy: list[bool], tall: list[float]) -> list[float]:
    """Return y positions far enough apart for these rows, in this order, close to the wishes, above all to those of the
    heavy ones."""
    found: list[float] = []
    for at, wish in enumerate(wishes):
        found.append(max(wish, found[-1] + (tall[at - 1] + tall[at]) / 2) if found else wish)
    pushes = [at - wish for at, wish in zip(found, wishes, strict=True)]
    push = _mean([one for one, is_heavy in zip(pushes, heavy, strict=True) if is_heavy] or pushes, 0.0)
    return [at - push for at in found]


def _anchor(
    drawing: Drawing,
    part: list[Node],
    block: dict[int, tuple[float, float]],
    users: dict[int, list[int]],
    chosen: set[int],
) -> tuple[float, float] | None:
    """Return the position of the block's (0, 0) beside the existing nodes that it is connected with; None if there are
    none."""
    wishes: list[tuple[float, float]] = []
    fixed = drawing.by_id
    for node in part:
        x, y = block[node.id]
        for other in _operands(node):
            if other not in chosen and other in fixed:
                away = STEP - CARD if isinstance(fixed[other], Leaf) else STEP
                wishes.append((fixed[other].x + away - x, fixed[other].y - y))
        for other in users[node.id]:
            if other not in chosen and other in fixed:
                away = STEP - CARD if isinstance(node, Leaf) else STEP
                wishes.append((fixed[other].x - away - x, fixed[other].y - y))
    if not wishes:
        return None
    return _mean([wish[0] for wish in wishes], 0.0), _mean([wish[1] for wish in wishes], 0.0)


@dataclass(frozen=True)
class _Spot:
    """The rectangle that an item covers."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Spot) -> bool:
        """Whether the two overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class _Ground:
    """The covered area, in columns, so that 10,000 nodes find their positions quickly."""

    def __init__(self, drawing: Drawing, chosen: set[int], cards: Cards) -> None:
        self._cards = cards
        self._columns: dict[int, list[_Spot]] = defaultdict(list)
        self._left, self._bottom = 0.0, 0.0
        self._empty = True
        for node in drawing.nodes:
            if node.id not in chosen:
                self._add(_spot(node, node.x, node.y, cards[node.id]))
        for one in drawing.comments:
            self._add(_Spot(one.x, one.y, one.x + one.width, one.y + one.height))
        self._kinds = {node.id: node for node in drawing.nodes}

    def _add(self, spot: _Spot) -> None:
        for column in range(int(spot.left // STEP), int(spot.right // STEP) + 1):
            self._columns[column].append(spot)
        self._left = spot.left if self._empty else min(self._left, spot.left)
        self._bottom = spot.bottom if self._empty else max(self._bottom, spot.bottom)
        self._empty = False

    def below(self) -> tuple[float, float] | None:
        """Return the left edge below everything; None on empty ground."""
        return None if self._empty else (self._left, self._bottom)

    def take(
        self, block: dict[int, tuple[float, float]], at: tuple[float, float] | None
    ) -> dict[int, tuple[float, float]]:
        """Put a block at its position, or as far below as needed to cover nothing."""
        dx, dy = at or (0.0, 0.0)
        if at == self.below() and at is not None:
            dx += STEP / 4 - min(x for x, _ in block.values())
            dy += ROW - min(y for _, y in block.values())
        spots = {id: _spot(self._kinds[id], x + dx, y + dy, self._cards[id]) for id, (x, y) in block.items()}
        down = 0.0
        while (more := max((self._cover(spot, down) for spot in spots.values()), default=0.0)) > 0:
            down = max(down + more, nextafter(down, inf))  # a rest may be too small to be added
        for spot in spots.values():
            self._add(_Spot(spot.left, spot.top + down, spot.right, spot.bottom + down))
        return {id: (x + dx, y + dy + down) for id, (x, y) in block.items()}

    def _cover(self, spot: _Spot, down: float) -> float:
        """Return how much farther down it must go to cover nothing there; 0 if it covers nothing."""
        top, bottom = spot.top + down, spot.bottom + down
        most = 0.0
        if top >= self._bottom:
            return most  # below everything, as for most nodes without connections
        for column in range(int(spot.left // STEP), int(spot.right // STEP) + 1):
            for other in self._columns[column]:
                if other.left < spot.right and spot.left < other.right and other.top < bottom and top < other.bottom:
                    most = max(most, other.bottom - top)
        return most


def _spot(node: Node, x: float, y: float, card: tuple[float, float]) -> _Spot:
    """Return what a node covers; for an operation, including its result."""
    half = max(card[1] / 2 + 6.0, ROW * 0.45)
    if isinstance(node, Operation):
        return _Spot(x - 30.0, y - half, x + BESIDE + card[0] + 5.0, y + half)
    return _Spot(x - card[0] / 2 - 5.0, y - half, x + card[0] / 2 + 5.0, y + half)
