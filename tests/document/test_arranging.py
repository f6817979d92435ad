"""First places of nodes that came from code."""

from __future__ import annotations

from gradviz.document import shaping
from gradviz.document.arranging import arrange, uncovered
from gradviz.document.drawing import Drawing, Operation, Ref
from gradviz.document.making import Around, make
from tests.document.drawings import chain, squared_error


def covering(drawing: Drawing) -> list[tuple[int, int]]:
    return [
        (one.id, other.id)
        for at, one in enumerate(drawing.nodes)
        for other in drawing.nodes[at + 1 :]
        if abs(one.x - other.x) < 150 and abs(one.y - other.y) < 60
    ]


def test_a_computation_flows_to_the_right_and_covers_nothing() -> None:
    drawing, _ = squared_error()
    placed = arrange(drawing)
    assert covering(placed) == []
    for node in placed.nodes:
        for operand in node.inputs if isinstance(node, Operation) else ():
            if isinstance(operand, Ref):
                assert placed.by_id[operand.node].x < node.x
    assert arrange(placed) == placed


def test_new_nodes_stand_beside_what_they_are_connected_with() -> None:
    drawing, ids = squared_error()
    drawing = arrange(drawing)
    changed, new = shaping.new_operation(drawing, "exp", 0, 0)
    changed = shaping.connect(changed, Ref(ids["w"]), new, 0)
    placed = arrange(changed, {new})
    assert covering(placed) == []
    assert placed.by_id[new].x > placed.by_id[ids["w"]].x
    assert [placed.by_id[id] for id in ids.values()] == [changed.by_id[id] for id in ids.values()]


def test_what_is_connected_with_nothing_stands_below_everything_and_pinned_nodes_stay() -> None:
    drawing, ids = squared_error()
    drawing, lonely = shaping.new_leaf(shaping.pin(drawing, ids.values(), True), 0, 0)
    placed = arrange(drawing)
    assert [placed.by_id[id] for id in ids.values()] == [drawing.by_id[id] for id in ids.values()]
    assert placed.by_id[lonely].y > max(node.y for node in drawing.nodes)


def test_an_expression_that_is_typed_where_a_node_stands_goes_beside_it() -> None:
    drawing, w = shaping.new_leaf(Drawing(), 0, 0, data=3.0)
    made = make(drawing, "w**2", Around(0, 0))
    assert covering(made.drawing) == []
    assert made.drawing.by_id[w] == drawing.by_id[w]
    elsewhere = make(drawing, "w**2", Around(500, 300))
    assert (elsewhere.drawing.by_id[elsewhere.result.node].x, elsewhere.drawing.by_id[w].x) == (500, 0)
    assert uncovered(elsewhere.drawing, elsewhere.nodes) is elsewhere.drawing


def test_two_thousand_nodes_find_their_places() -> None:
    placed = arrange(chain(2_000))
    assert len({(node.x, node.y) for node in placed.nodes}) == 2_001
