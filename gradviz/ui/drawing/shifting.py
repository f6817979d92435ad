"""A drawing on its way to other places: "Tidy Up", an alignment and edits of the code move nodes, and one sees where
they go. `gradviz.ui.canvas.animation` has the clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gradviz.document.code.source import code_of, share_code
from gradviz.document.drawing import Drawing, Node

MOST = 300  # nodes; with more of them there is no movement
Places = Mapping[int, tuple[float, float]]


def places_of(drawing: Drawing) -> Places:
    """Where each node and each comment is."""
    return {thing.id: (thing.x, thing.y) for thing in (*drawing.nodes, *drawing.comments)}


def same_places(one: Drawing, other: Drawing) -> bool:
    """Whether all that is in two drawings is at the same place in both."""
    return places_of(one) == places_of(other)


def moves(start: Places, drawing: Drawing) -> bool:
    """Whether something of the drawing was elsewhere before."""
    there = places_of(drawing)
    return len(there) <= MOST and any(start.get(thing, place) != place for thing, place in there.items())


def on_the_way(start: Places, drawing: Drawing, part: float) -> Drawing:
    """The drawing at a part of the way, 0 to 1, from other places."""

    def at(thing: int, x: float, y: float) -> tuple[float, float]:
        before = start.get(thing, (x, y))
        return before[0] + (x - before[0]) * part, before[1] + (y - before[1]) * part

    def shifted(node: Node) -> Node:
        x, y = at(node.id, node.x, node.y)
        return replace(node, x=x, y=y)

    comments = []
    for comment in drawing.comments:
        x, y = at(comment.id, comment.x, comment.y)
        comments.append(replace(comment, x=x, y=y))
    made = replace(drawing, nodes=tuple(map(shifted, drawing.nodes)), comments=tuple(comments))
    share_code(made, code_of(drawing))  # it takes longer to write than a picture to paint
    return made
