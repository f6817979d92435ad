"""What is typed on the canvas, as nodes."""

from __future__ import annotations

import pytest

from gradviz.document import shaping
from gradviz.document.documents import text_of
from gradviz.document.drawing import Drawing, Leaf, Ref
from gradviz.document.entry import Around, make
from gradviz.document.errors import UserError

HERE = Around(0.0, 0.0)


@pytest.mark.parametrize(
    ("typed", "data"), [("3", 3.0), ("w = 3", 3.0), ("[1, 2]", (1.0, 2.0)), ("[[1], [2.5]]", ((1.0,), (2.5,)))]
)  # fmt: skip
def test_whole_numbers_that_are_typed_can_have_a_gradient(typed: str, data: object) -> None:
    made = make(Drawing(), typed, HERE)
    leaf = made.drawing.by_id[made.result.node]
    assert isinstance(leaf, Leaf) and repr(leaf.data) == repr(data)
    assert "requires_grad=True" in text_of(shaping.change_leaf(made.drawing, leaf.id, requires_grad=True))


def test_what_is_written_as_a_tensor_or_is_a_truth_value_stays_so() -> None:
    for typed, data in (("tensor([0, 2])", (0, 2)), ("True", True)):
        made = make(Drawing(), typed, HERE)
        leaf = made.drawing.by_id[made.result.node]
        assert isinstance(leaf, Leaf) and repr(leaf.data) == repr(data)


def test_names_that_an_expression_invents_get_gradients_and_known_ones_stay() -> None:
    drawing, _ = shaping.new_leaf(Drawing(), -400, 0, data=2.0, name="x")
    made = make(drawing, "loss = (w*x - t)**2", HERE)
    grads = {node.name: node.requires_grad for node in made.drawing.nodes if isinstance(node, Leaf)}
    assert grads == {"x": False, "w": True, "t": True}


def test_backward_where_nothing_requires_grad_is_refused_with_what_to_switch_on() -> None:
    drawing, w = shaping.new_leaf(Drawing(), 0, 0, data=2.0, name="w")
    drawing, n = shaping.new_leaf(drawing, 0, 200, data=2, name="n")
    made = make(drawing, "y = w*n", Around(300, 0))
    with pytest.raises(UserError, match=r"Nothing requires grad for y: select w and switch requires_grad on"):
        shaping.check_root(made.drawing, made.result)
    with pytest.raises(UserError, match="n has whole numbers only"):
        shaping.check_root(made.drawing, Ref(n))
    shaping.check_root(shaping.change_leaf(made.drawing, w, requires_grad=True), made.result)


def test_what_is_made_where_nobody_pointed_lies_on_nothing() -> None:
    drawing, w = shaping.new_leaf(Drawing(), 0, 0, data=2.0, name="w")
    drawing, mul = shaping.new_operation(drawing, "mul", 260, 70)
    made = make(drawing, "exp", Around(220, 0, (Ref(w),), about=True))
    exp = made.drawing.by_id[made.result.node]
    assert (exp.x, exp.y > made.drawing.by_id[mul].y + 60) == (220, True)
    pointed = make(drawing, "exp", Around(220, 0, (Ref(w),)))
    assert pointed.drawing.by_id[pointed.result.node].y == 0


def test_an_expression_beside_what_it_uses_begins_at_the_right_of_it() -> None:
    first = make(Drawing(), "y = w*x + b", HERE)
    y = first.drawing.by_id[first.result.node]
    made = make(first.drawing, "loss = (y - 4)**2", Around(y.x + 200, y.y, (first.result,), about=True))
    assert min(made.drawing.by_id[one].x for one in made.nodes) == y.x + 320
