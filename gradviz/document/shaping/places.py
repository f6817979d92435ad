"""Positions: move, align, distribute, pin; and what surrounds nodes: groups and comments. Nothing here changes the code
of a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gradviz.document.drawing import Comment, Drawing, Group, Node
from gradviz.document.errors import UserError

SIDES = ("left", "center", "right", "top", "middle", "bottom")
Sizes = Mapping[int, tuple[float, float]]  # width and height of items on the canvas


def move_to(drawing: Drawing, places: Mapping[int, tuple[float, float]]) -> Drawing:
    """Move nodes and comments to these positions."""
    nodes = tuple(_at(node, places) for node in drawing.nodes)
    comments = tuple(
        replace(one, x=places[one.id][0], y=places[one.id][1]) if one.id in places else one for one in drawing.comments
    )
    return replace(drawing, nodes=nodes, comments=comments)


def _at(node: Node, places: Mapping[int, tuple[float, float]]) -> Node:
    place = places.get(node.id)
    return node if place is None else replace(node, x=place[0], y=place[1])


def with_members(drawing: Drawing, ids: Iterable[int]) -> set[int]:
    """Return these, and the members of the groups among them."""
    chosen = set(ids)
    for group in drawing.groups:
        if group.id in chosen:
            chosen |= group.members
    return chosen


def move(drawing: Drawing, ids: Iterable[int], dx: float, dy: float) -> Drawing:
    """Move nodes, comments, and groups with their members."""
    chosen = with_members(drawing, ids)
    things = (*drawing.nodes, *drawing.comments)
    return move_to(drawing, {one.id: (one.x + dx, one.y + dy) for one in things if one.id in chosen})


@dataclass(frozen=True)
class _Box:
    """An item to align; dx and dy lead from its top left corner to the position stored in the drawing."""

    id: int
    left: float
    top: float
    width: float
    height: float
    dx: float
    dy: float


def _boxes(drawing: Drawing, ids: Iterable[int], sizes: Sizes | None) -> list[_Box]:
    chosen, boxes = with_members(drawing, ids), []
    for node in drawing.nodes:
        if node.id in chosen:
            width, height = (sizes or {}).get(node.id, (0.0, 0.0))
            left, top = node.x - width / 2, node.y - height / 2
            boxes.append(_Box(node.id, left, top, width, height, width / 2, height / 2))
    for one in drawing.comments:
        if one.id in chosen:
            boxes.append(_Box(one.id, one.x, one.y, one.width, one.height, 0.0, 0.0))
    return boxes


def align(drawing: Drawing, ids: Iterable[int], how: str, sizes: Sizes | None = None) -> Drawing:
    """Align items: by their left, right, top or bottom edges, side by side ("middle"), or one below the other
    ("center"). Without sizes all nodes count as points."""
    if how not in SIDES:
        raise UserError(f"Things are aligned by {', '.join(SIDES)}, not by '{how}'.")
    boxes = _boxes(drawing, ids, sizes)
    if len(boxes) < 2:
        raise UserError("Select two nodes or more to align them.")
    left, right = min(box.left for box in boxes), max(box.left + box.width for box in boxes)
    top, bottom = min(box.top for box in boxes), max(box.top + box.height for box in boxes)
    places = {}
    for box in boxes:
        x, y = box.left, box.top
        if how in ("left", "center", "right"):
            x = {"left": left, "center": (left + right - box.width) / 2, "right": right - box.width}[how]
        else:
            y = {"top": top, "middle": (top + bottom - box.height) / 2, "bottom": bottom - box.height}[how]
        places[box.id] = (x + box.dx, y + box.dy)
    return move_to(drawing, places)


def distribute(drawing: Drawing, ids: Iterable[int], how: str, sizes: Sizes | None = None) -> Drawing:
    """Make the gaps between things equal, "across" or "down"; the outermost ones stay."""
    boxes = _boxes(drawing, ids, sizes)
    if len(boxes) < 3:
        raise UserError("Select three nodes or more to distribute them.")
    across = how == "across"
    boxes.sort(key=lambda box: (box.left, box.id) if across else (box.top, box.id))
    lengths = [box.width if across else box.height for box in boxes]
    starts = [box.left if across else box.top for box in boxes]
    room = starts[-1] - starts[0] - sum(lengths[:-1])
    at, places = starts[0], {}
    for box, length in zip(boxes, lengths, strict=True):
        places[box.id] = (at + box.dx, box.top + box.dy) if across else (box.left + box.dx, at + box.dy)
        at += length + room / (len(boxes) - 1)
    return move_to(drawing, places)


def pin(drawing: Drawing, ids: Iterable[int], pinned: bool) -> Drawing:
    """Set whether the automatic layout leaves nodes where they are."""
    chosen = with_members(drawing, ids)
    return replace(
        drawing, nodes=tuple(replace(one, pinned=pinned) if one.id in chosen else one for one in drawing.nodes)
    )


# -- groups and comments

LEAST = 40.0  # least width and height of a comment


def group(drawing: Drawing, ids: Iterable[int], title: str = "") -> tuple[Drawing, int]:
    """Put nodes into a new group; they leave their previous groups."""
    chosen = set(ids)
    for other in drawing.groups:
        if other.id in chosen:
            chosen |= other.members
    members = frozenset(chosen & drawing.by_id.keys())
    if not members:
        raise UserError("Select the nodes first that the group shall hold.")
    id = drawing.next_id
    left = (replace(other, members=other.members - members) for other in drawing.groups)
    new = Group(id, title.strip() or _free_title(drawing), members)
    groups = (*(other for other in left if other.members), new)
    return replace(drawing, groups=groups, next_id=id + 1), id


def _free_title(drawing: Drawing) -> str:
    titles = {group.title for group in drawing.groups}
    return next(title for at in range(1, len(titles) + 2) if (title := f"Group {at}") not in titles)


def _group(drawing: Drawing, id: int) -> Group:
    for one in drawing.groups:
        if one.id == id:
            return one
    raise UserError("This group is no longer in the drawing; choose another one.")


def _with_group(drawing: Drawing, changed: Group) -> Drawing:
    return replace(drawing, groups=tuple(changed if one.id == changed.id else one for one in drawing.groups))


def ungroup(drawing: Drawing, id: int) -> Drawing:
    """Remove a group and keep its nodes."""
    gone = _group(drawing, id)
    return replace(drawing, groups=tuple(one for one in drawing.groups if one is not gone))


def set_group_closed(drawing: Drawing, id: int, closed: bool) -> Drawing:
    """Close a group to one box, or open it."""
    return _with_group(drawing, replace(_group(drawing, id), closed=closed))


def set_group_title(drawing: Drawing, id: int, title: str) -> Drawing:
    """Rename a group."""
    if not title.strip():
        raise UserError("A group needs a title; write a word.")
    return _with_group(drawing, replace(_group(drawing, id), title=title.strip()))


def new_comment(
    drawing: Drawing, x: float, y: float, text: str = "", width: float = 200.0, height: float = 120.0
) -> tuple[Drawing, int]:
    """Place a comment; x and y are its top left corner."""
    id = drawing.next_id
    new = Comment(id, text, x, y, max(width, LEAST), max(height, LEAST))
    return replace(drawing, comments=(*drawing.comments, new), next_id=id + 1), id


def change_comment(
    drawing: Drawing,
    id: int,
    *,
    text: str | None = None,
    x: float | None = None,
    y: float | None = None,
    width: float | None = None,
    height: float | None = None,
) -> Drawing:
    """Change the given fields of a comment."""
    old = next((comment for comment in drawing.comments if comment.id == id), None)
    if old is None:
        raise UserError("This comment is no longer in the drawing; choose another one.")
    new = replace(
        old,
        text=old.text if text is None else text,
        x=old.x if x is None else x,
        y=old.y if y is None else y,
        width=old.width if width is None else max(width, LEAST),
        height=old.height if height is None else max(height, LEAST),
    )
    return replace(drawing, comments=tuple(new if one is old else one for one in drawing.comments))
