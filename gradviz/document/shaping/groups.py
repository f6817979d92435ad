"""Groups and comments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradviz.document.drawing import Comment, Drawing, Group
from gradviz.document.errors import UserError

LEAST = 40.0  # width and height of a comment


def group(drawing: Drawing, ids: Iterable[int], title: str = "") -> tuple[Drawing, int]:
    """Put nodes into a group of their own; they leave the groups that they were in."""
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
    """Take a group away and leave its nodes."""
    gone = _group(drawing, id)
    return replace(drawing, groups=tuple(one for one in drawing.groups if one is not gone))


def set_group_closed(drawing: Drawing, id: int, closed: bool) -> Drawing:
    """Close a group to one box, or open it."""
    return _with_group(drawing, replace(_group(drawing, id), closed=closed))


def set_group_title(drawing: Drawing, id: int, title: str) -> Drawing:
    """Call a group something else."""
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
    """Change what is given of a comment."""
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
