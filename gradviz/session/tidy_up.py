"""New positions for all nodes of a drawing, computed by the layout that the canvas uses: "Tidy Up". Pinned nodes stay
where they are, and nothing ends up on top of them. Pure; `ui.drawing.board` runs it off the window's thread. Quick
positions for parsed code are in `document.arranging`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.document.drawing import Comment, Drawing

if TYPE_CHECKING:
    from gradviz.layout.flat import Layouter
    from gradviz.layout.records import NestedInput

ROOM = 12.0  # above and below a box, for texts there
APART = 24.0  # between what is pinned and what has moved out of its way
COLUMN = 300.0  # pixels
HEADER = (120.0, 26.0)  # minimum size of the title of an open group


@dataclass(frozen=True)
class Box:
    """The area of a node with its results, or of a closed group."""

    left: float
    top: float
    width: float
    height: float

    @property
    def x(self) -> float:
        """Of its centre."""
        return self.left + self.width / 2

    @property
    def y(self) -> float:
        """Of its centre."""
        return self.top + self.height / 2

    def moved(self, dx: float, dy: float) -> Box:
        """The same box elsewhere."""
        return Box(self.left + dx, self.top + dy, self.width, self.height)

    def is_near(self, other: Box) -> bool:
        """Whether they overlap or nearly do."""
        across = self.left < other.left + other.width + APART and other.left < self.left + self.width + APART
        return across and self.top < other.top + other.height + APART and other.top < self.top + self.height + APART


@dataclass(frozen=True)
class Wire:
    """From box to box, and how far below their centres it connects."""

    tail: int
    head: int
    from_y: float = 0.0
    to_y: float = 0.0


def tidied(
    drawing: Drawing, boxes: Mapping[int, Box], wires: tuple[Wire, ...], layouter: Layouter
) -> dict[int, tuple[float, float]]:
    """The new positions of nodes and comments by id; `boxes` are those of visible nodes and closed groups. Raises
    Cancelled if the layouter was told to cancel."""
    from gradviz.layout.nested import nested

    units = [id for id in boxes if id not in {comment.id for comment in drawing.comments}]
    if not units:
        return {}
    layouter.renew()
    result = nested(layouter, _asked(drawing, units, boxes, wires))
    wished = {id: (float(x), float(y)) for id, (x, y) in zip(units, result.centres.tolist(), strict=True)}
    pinned = _pinned(drawing, units)
    shift = _shift(boxes, wished, pinned)
    goals = {
        id: boxes[id].moved(x + shift[0] - boxes[id].x, y + shift[1] - boxes[id].y) for id, (x, y) in wished.items()
    }
    goals = _made_way(goals, {id: boxes[id] for id in pinned})
    moves = {id: (goals[id].left - boxes[id].left, goals[id].top - boxes[id].top) for id in units}
    return _places(drawing, moves) | _comments(drawing, boxes, goals)


def _asked(drawing: Drawing, units: list[int], boxes: Mapping[int, Box], wires: tuple[Wire, ...]) -> NestedInput:
    """The input for the layout: open groups are groups, closed ones are boxes."""
    import numpy as np

    from gradviz.layout.records import NestedInput

    row = {id: at for at, id in enumerate(units)}
    opened = [group for group in drawing.groups if not group.closed and group.members & row.keys()]
    of = {member: at for at, group in enumerate(opened) for member in group.members}
    seen = list(dict.fromkeys(wire for wire in wires if wire.tail != wire.head))
    return NestedInput(
        np.array([(boxes[id].width, boxes[id].height + 2 * ROOM) for id in units]).reshape(-1, 2),
        np.array([(row[wire.tail], row[wire.head]) for wire in seen], np.int64).reshape(-1, 2),
        np.array([(wire.from_y, wire.to_y) for wire in seen], np.float64).reshape(-1, 2),
        np.array([of.get(id, -1) for id in units], np.int64),
        np.full(len(opened), -1, np.int64),
        np.array([HEADER] * len(opened), np.float64).reshape(-1, 2),
    )


def _pinned(drawing: Drawing, units: list[int]) -> set[int]:
    """What stays: pinned nodes, and closed groups with a pinned member."""
    held = {node.id for node in drawing.nodes if node.pinned}
    groups = {group.id for group in drawing.groups if group.members & held}
    return (held | groups) & set(units)


def _shift(
    boxes: Mapping[int, Box], wished: Mapping[int, tuple[float, float]], pinned: set[int]
) -> tuple[float, float]:
    """How far to move everything so that pinned things are where the layout put them, or, without any, the centre
    stays."""
    if pinned:
        dx = [boxes[id].x - wished[id][0] for id in pinned]
        dy = [boxes[id].y - wished[id][1] for id in pinned]
        return sum(dx) / len(dx), sum(dy) / len(dy)
    old_x, old_y = [boxes[id].x for id in wished], [boxes[id].y for id in wished]
    new_x, new_y = [x for x, _ in wished.values()], [y for _, y in wished.values()]
    return _middle(old_x) - _middle(new_x), _middle(old_y) - _middle(new_y)


def _middle(numbers: list[float]) -> float:
    return (min(numbers) + max(numbers)) / 2


def _made_way(goals: dict[int, Box], pinned: Mapping[int, Box]) -> dict[int, Box]:
    """Move what would lie on something pinned up or down to the nearest free place."""
    if not pinned:
        return goals
    free = {id: box for id, box in goals.items() if id not in pinned}
    standing = _Columns()
    for box in pinned.values():
        standing.add(box)
    crowded = {id for id, box in free.items() if any(box.is_near(other) for other in standing.around(box))}
    for id, box in free.items():
        if id not in crowded:
            standing.add(box)
    found = dict(goals) | dict(pinned)
    for id in sorted(crowded, key=lambda one: (free[one].left, free[one].top)):
        found[id] = _nearest_free(free[id], standing)
        standing.add(found[id])
    return found


class _Columns:
    """Boxes indexed by horizontal position, so that thousands find their places quickly."""

    def __init__(self) -> None:
        self._boxes: dict[int, list[Box]] = defaultdict(list)

    def add(self, box: Box) -> None:
        """Add a box that stays."""
        for column in self._columns_of(box):
            self._boxes[column].append(box)

    def around(self, box: Box) -> list[Box]:
        """The boxes that may be near it, or above or below it."""
        return [other for column in self._columns_of(box) for other in self._boxes.get(column, ())]

    @staticmethod
    def _columns_of(box: Box) -> range:
        return range(int((box.left - APART) // COLUMN), int((box.left + box.width + APART) // COLUMN) + 1)


def _nearest_free(box: Box, standing: _Columns) -> Box:
    """The box moved up or down by as little as possible to lie on nothing."""
    column = [other for other in standing.around(box) if other.moved(0, box.top - other.top).is_near(box)]
    tops = [box.top]
    tops += [other.top + other.height + APART for other in column]
    tops += [other.top - box.height - APART for other in column]
    for top in sorted(tops, key=lambda top: abs(top - box.top)):
        moved = box.moved(0, top - box.top)
        if not any(moved.is_near(other) for other in column):
            return moved
    return box


def _places(drawing: Drawing, moves: Mapping[int, tuple[float, float]]) -> dict[int, tuple[float, float]]:
    """The position of each node; members of a closed group move with it."""
    moves = dict(moves)
    for group in drawing.groups:
        if group.closed and group.id in moves:
            moves |= dict.fromkeys(group.members, moves[group.id])
    known = drawing.by_id
    return {id: (known[id].x + dx, known[id].y + dy) for id, (dx, dy) in moves.items() if id in known}


def _comments(drawing: Drawing, boxes: Mapping[int, Box], goals: Mapping[int, Box]) -> dict[int, tuple[float, float]]:
    """A comment moves with the first of the things that lay on it."""
    found = {}
    for comment in drawing.comments:
        on_it = [id for id in goals if _lies_on(boxes[id], comment)]
        if on_it:
            dx = min(goals[id].left for id in on_it) - min(boxes[id].left for id in on_it)
            dy = min(goals[id].top for id in on_it) - min(boxes[id].top for id in on_it)
            found[comment.id] = (comment.x + dx, comment.y + dy)
    return found


def _lies_on(box: Box, comment: Comment) -> bool:
    across = comment.x <= box.x <= comment.x + comment.width
    return across and comment.y <= box.y <= comment.y + comment.height
