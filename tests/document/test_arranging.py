"""First places of nodes that came from code."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from gradviz.document import shaping
from gradviz.document.arranging import arrange, cleared, extents, made_room, uncovered, with_room
from gradviz.document.code.parse import parse
from gradviz.document.drawing import Drawing, Leaf, Operation, Ref
from gradviz.document.entry import Around, make
from gradviz.ui.canvas.sizes import BADGE_GAP, BADGE_HEIGHT
from tests.document.drawings import chain, squared_error

BADGE = BADGE_GAP + BADGE_HEIGHT


def refs(node: Leaf | Operation) -> list[Ref]:
    return [one for one in node.inputs if isinstance(one, Ref)] if isinstance(node, Operation) else []


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


def test_a_node_finds_a_place_wherever_the_others_stand() -> None:
    """What is left to go down can be too small to change where it already is: then the search never ended."""
    placed = arrange(squared_error()[0])
    chance = random.Random(1)
    for _ in range(300):
        up = chance.uniform(-400, 400)
        moved = replace(placed, nodes=tuple(replace(node, y=node.y - up + chance.random()) for node in placed.nodes))
        for node in moved.nodes:
            assert covering(arrange(moved, [node.id])) == []


NETWORK = """import torch

x = torch.tensor([[0.5, -1.0], [1.0, 2.0], [0.0, 1.0]])
w1 = torch.tensor([[0.1, 0.2], [-0.3, 0.4]], requires_grad=True)
b1 = torch.zeros(2, requires_grad=True)
w2 = torch.tensor([[0.7], [-0.6]], requires_grad=True)
t = torch.tensor([[1.0], [0.0], [1.0]])
loss = ((torch.tanh(x @ w1 + b1) @ w2 - t) ** 2).mean()
image = torch.randn(1, 8, 8, requires_grad=True)
size = (image * image).sum()
"""


def test_cards_of_matrices_have_the_room_that_they_need() -> None:
    drawing = parse(NETWORK)
    cards = extents(drawing)
    boxes = []
    for node in drawing.nodes:
        width, height = cards[node.id]
        left = node.x - width / 2 if isinstance(node, Leaf) else node.x + 64
        boxes.append((left, node.y - height / 2, left + width, node.y + height / 2))
        if isinstance(node, Operation):
            boxes.append((node.x - 20, node.y - 20, node.x + 20, node.y + 20))
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one, other)


@pytest.mark.parametrize("steps", [1, 4, 12])
def test_a_sum_of_gradients_has_room_under_its_card(steps: int) -> None:
    """What is used more than once has a badge below its card as soon as gradients arrive."""
    lines = [f"w{k} = torch.tensor(0.{k + 1}, requires_grad=True)" for k in range(steps + 1)]
    lines += ["h0 = torch.tanh(w0 * 0.5)"]
    lines += [f"h{k} = torch.tanh(h{k - 1} * w{k} + w{k})" for k in range(1, steps + 1)]
    drawing = parse("\n".join(["import torch", *lines]))
    cards = extents(drawing)
    uses = Counter(one.node for node in drawing.nodes for one in refs(node))
    boxes = {}
    for node in drawing.nodes:
        width, height = cards[node.id]
        left = node.x - width / 2 if isinstance(node, Leaf) else node.x + 64
        boxes[node.id] = left, node.y - height / 2, left + width, node.y + height / 2
    shared = [id for id, box in boxes.items() if uses[id] > 1]
    assert len(shared) >= steps
    for one in shared:
        left, _, right, bottom = boxes[one]
        for other, box in boxes.items():
            covers = box[0] < right and left < box[2] and box[1] < bottom + BADGE and bottom <= box[1]
            assert other == one or not covers, (one, other)


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


def test_a_long_chain_is_in_rows_that_can_be_read_and_covers_nothing() -> None:
    lines = "".join(f"y = (y * w{at}).sin()\n" for at in range(8))
    leaves = "".join(f"w{at} = torch.tensor({at}.)\n" for at in range(8))
    drawing = parse(f"import torch\ny = torch.tensor(1., requires_grad=True)\n{leaves}{lines}")
    assert covering(drawing) == []
    across = max(node.x for node in drawing.nodes) - min(node.x for node in drawing.nodes)
    down = max(node.y for node in drawing.nodes) - min(node.y for node in drawing.nodes)
    assert 1 < across / down < 3
    leaf = {node.name: node for node in drawing.nodes if isinstance(node, Leaf)}
    for node in drawing.nodes:
        for operand in node.inputs if isinstance(node, Operation) else ():
            if isinstance(operand, Ref) and operand.node in {leaf[name].id for name in leaf}:
                assert drawing.by_id[operand.node].x < node.x


def test_copies_stand_to_each_other_as_before_and_on_nothing() -> None:
    drawing = parse("import torch\nw = torch.tensor(2., requires_grad=True)\ny = w * w\nz = y + w\n")
    drawing, new = shaping.duplicate(drawing, drawing.by_id.keys(), 40, 40)
    placed = cleared(drawing, new)
    assert covering(placed) == []
    way = {(placed.by_id[id].x - drawing.by_id[id].x, placed.by_id[id].y - drawing.by_id[id].y) for id in new}
    assert len(way) == 1
    assert cleared(placed, new) is placed


def test_what_is_put_into_a_wire_gets_room_and_what_is_pinned_stays() -> None:
    drawing = parse(
        "import torch\nw = torch.tensor(2., requires_grad=True)\nv = torch.tensor(3.)\ny = w * v\nz = y + w\n"
    )
    ids = {shaping.label(drawing, node.id): node.id for node in drawing.nodes}
    drawing = shaping.pin(drawing, {ids["z"]}, True)
    changed, new = shaping.insert_on_wire(drawing, "exp", ids["y"], 0)
    mul = drawing.by_id[ids["y"]]
    placed = made_room(shaping.move_to(changed, {new: (mul.x - 60, mul.y - 20)}), new)
    assert placed.by_id[ids["y"]].x > placed.by_id[new].x + 200
    assert [placed.by_id[ids[name]] for name in ("w", "v", "z")] == [
        drawing.by_id[ids[name]] for name in ("w", "v", "z")
    ]


def covered(drawing: Drawing) -> set[tuple[int, int]]:
    """Which cards of leaves overlap."""
    cards, leaves = extents(drawing), [node for node in drawing.nodes if isinstance(node, Leaf)]
    return {
        (one.id, other.id)
        for at, one in enumerate(leaves)
        for other in leaves[at + 1 :]
        if 2 * abs(one.x - other.x) < cards[one.id][0] + cards[other.id][0]
        and 2 * abs(one.y - other.y) < cards[one.id][1] + cards[other.id][1]
    }


def test_a_card_that_grows_pushes_its_neighbours_away() -> None:
    drawing = Drawing()
    for at, (x, y) in enumerate([(0, 0), (180, 0), (-180, 0), (0, 130), (0, -130), (0, 260), (700, 700)]):
        drawing, _ = shaping.new_leaf(drawing, x, y, data=1.0, name=f"v{at}")
    assert not covered(drawing)
    matrix = tuple(tuple(float(row + column) for column in range(5)) for row in range(5))
    grown = with_room(drawing, shaping.change_leaf(drawing, 1, data=matrix))
    assert not covered(grown)
    places = {node.id: (node.x, node.y) for node in grown.nodes}
    assert places[1] == (0, 0), "it stays where it is"
    assert places[2][0] > 180 and places[2][1] == 0 and places[3][0] < -180, "to the side on which they were"
    assert places[4][1] > 130 and places[5][1] < -130
    assert places[6][1] - places[4][1] == 130, "what is beyond comes along"
    other = shaping.change_leaf(drawing, 1, data=2.0)
    assert with_room(drawing, other) == other, "another number moves nothing"
    pinned = shaping.pin(drawing, [2], pinned=True)
    assert with_room(pinned, shaping.change_leaf(pinned, 1, data=matrix)).by_id[2] == pinned.by_id[2]
