"""Tidying a drawing up: everything finds a place of its own, and what is pinned keeps its place."""

from __future__ import annotations

import pytest

from gradviz.document import shaping
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.layout.flat import Layouter
from gradviz.session.tidy_up import Box, Wire, tidied
from tests.document.drawings import chain, squared_error


@pytest.fixture
def layouter() -> Layouter:
    return Layouter(rows=False)


def boxes_of(drawing: Drawing) -> dict[int, Box]:
    """Leaves are cards; operations stand at the left of their results."""
    closed = {member for group in drawing.groups if group.closed for member in group.members}
    found = {}
    for node in drawing.nodes:
        if node.id not in closed:
            wide = isinstance(node, Operation)
            found[node.id] = Box(node.x - (22 if wide else 60), node.y - 30, 210 if wide else 120, 60)
    for group in drawing.groups:
        if group.closed:
            first = drawing.by_id[min(group.members)]
            found[group.id] = Box(first.x, first.y, 190, 100)
    return found


def wires_of(drawing: Drawing) -> tuple[Wire, ...]:
    box = {member: group.id for group in drawing.groups if group.closed for member in group.members}
    return tuple(
        Wire(box.get(operand.node, operand.node), box.get(node.id, node.id))
        for node in drawing.nodes
        if isinstance(node, Operation)
        for operand in node.inputs
        if isinstance(operand, Ref)
    )


def tidy_up(drawing: Drawing, layouter: Layouter) -> Drawing:
    places = tidied(drawing, boxes_of(drawing), wires_of(drawing), layouter)
    return shaping.move_to(drawing, places)


def overlaps(drawing: Drawing) -> list[tuple[int, int]]:
    boxes = list(boxes_of(drawing).items())
    return [
        (one, other)
        for at, (one, box) in enumerate(boxes)
        for other, beside in boxes[at + 1 :]
        if box.left < beside.left + beside.width
        and beside.left < box.left + box.width
        and box.top < beside.top + beside.height
        and beside.top < box.top + box.height
    ]


def heaped(drawing: Drawing) -> Drawing:
    """All nodes at one place."""
    return shaping.move_to(drawing, {node.id: (300.0, 200.0) for node in drawing.nodes})


def test_a_heap_becomes_a_graph_that_flows_to_the_right(layouter: Layouter) -> None:
    drawing, _ = squared_error()
    tidy = tidy_up(heaped(drawing), layouter)
    assert overlaps(tidy) == []
    for wire in wires_of(tidy):
        assert tidy.by_id[wire.tail].x < tidy.by_id[wire.head].x
    assert text_of(tidy) == text_of(drawing)


def test_what_is_pinned_stays_and_nothing_comes_to_lie_on_it(layouter: Layouter) -> None:
    drawing, ids = squared_error()
    drawing = shaping.pin(shaping.move_to(heaped(drawing), {ids["t"]: (320.0, 180.0)}), {ids["t"], ids["add"]}, True)
    tidy = tidy_up(drawing, layouter)
    for name in ("t", "add"):
        assert (tidy.by_id[ids[name]].x, tidy.by_id[ids[name]].y) == (
            drawing.by_id[ids[name]].x,
            drawing.by_id[ids[name]].y,
        )
    assert [pair for pair in overlaps(tidy) if pair != tuple(sorted((ids["t"], ids["add"])))] == []


def test_without_pins_the_middle_of_the_drawing_stays(layouter: Layouter) -> None:
    drawing, _ = squared_error()
    boxes = boxes_of(tidy_up(heaped(drawing), layouter)).values()
    assert abs(min(box.y for box in boxes) + max(box.y for box in boxes) - 400) < 1e-6


def test_a_closed_group_moves_as_one_and_a_comment_with_what_lies_on_it(layouter: Layouter) -> None:
    drawing, ids = squared_error()
    drawing, group = shaping.group(drawing, {ids["mul"], ids["add"]})
    drawing = shaping.set_group_closed(drawing, group, True)
    drawing, _ = shaping.new_comment(drawing, 10, 280, "the target", 200, 60)
    drawing = shaping.move_to(drawing, {ids["t"]: (100.0, 300.0)})
    tidy = tidy_up(drawing, layouter)
    assert overlaps(tidy) == []
    old, new = drawing.by_id, tidy.by_id
    assert new[ids["add"]].x - new[ids["mul"]].x == pytest.approx(old[ids["add"]].x - old[ids["mul"]].x)
    assert tidy.comments[0].x - new[ids["t"]].x == pytest.approx(10.0 - 100.0)


def test_an_open_group_keeps_its_nodes_together(layouter: Layouter) -> None:
    drawing = chain(6)
    drawing, _ = shaping.group(drawing, {3, 4})
    assert overlaps(tidy_up(heaped(drawing), layouter)) == []


def test_nothing_is_tidied_to_nothing(layouter: Layouter) -> None:
    assert tidied(Drawing(), {}, (), layouter) == {}
    lonely, _ = shaping.new_leaf(Drawing(), 5, 5)
    assert tidy_up(lonely, layouter) == lonely
