"""Each edit of a drawing, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.document import shaping
from gradviz.document.documents import text_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Number, Operation, Ref
from gradviz.document.errors import UserError
from tests.document.drawings import Walk, chain, check, squared_error


def operation(drawing: Drawing, id: int) -> Operation:
    node = drawing.by_id[id]
    assert isinstance(node, Operation)
    return node


def leaf(drawing: Drawing, id: int) -> Leaf:
    node = drawing.by_id[id]
    assert isinstance(node, Leaf)
    return node


def names(drawing: Drawing) -> list[str]:
    return [name for node in drawing.nodes for name in ((node.name,) if isinstance(node, Leaf) else node.names)]


# names


def test_the_first_drawing_has_the_names_that_a_person_would_give() -> None:
    drawing, _ = squared_error()
    assert names(drawing) == ["w", "x", "b", "t", "loss"]
    check(drawing)


def test_a_result_has_a_name_until_it_is_written_in_place() -> None:
    drawing, mul = shaping.new_operation(Drawing(), "mul", 0, 0)
    assert names(drawing) == ["y"]
    drawing, add = shaping.new_operation(drawing, "add", 0, 0)
    drawing = shaping.connect(drawing, Ref(mul), add, 0)
    assert operation(drawing, mul).names == ()
    drawing = shaping.connect(drawing, Ref(mul), add, 1)
    assert len(operation(drawing, mul).names) == 1
    check(drawing)


def test_a_name_given_by_hand_stays_when_the_result_is_used_once() -> None:
    drawing, mul = shaping.new_operation(Drawing(), "mul", 0, 0)
    drawing = shaping.rename(drawing, mul, "hidden")
    drawing, add = shaping.new_operation(drawing, "add", 0, 0)
    drawing = shaping.connect(drawing, Ref(mul), add, 0)
    assert operation(drawing, mul).names == ("hidden",)
    assert operation(shaping.rename(drawing, mul, ""), mul).names == ()


def test_a_matrix_is_called_by_a_capital() -> None:
    drawing, _ = shaping.new_leaf(Drawing(), 0, 0, data=((1.0, 2.0),))
    drawing, _ = shaping.new_leaf(drawing, 0, 0, data=(4, 2), maker="randn", seed=0)
    drawing, _ = shaping.new_leaf(drawing, 0, 0, data=(1.0, 2.0))
    assert names(drawing) == ["W", "X", "w"]


def test_names_never_run_out() -> None:
    drawing = Drawing()
    for _ in range(60):
        drawing, _ = shaping.new_leaf(drawing, 0, 0)
    assert names(drawing)[13:16] == ["w2", "x2", "b2"]
    check(drawing)


def test_tidy_mends_names_that_can_not_be() -> None:
    nodes = (Leaf(1, "x"), Leaf(2, "x"), Leaf(3, "for"), Leaf(4, "a b"), Operation(5, "max", (Ref(1),), (("dim", 0),)))
    drawing = shaping.tidy(Drawing(nodes, next_id=6))
    assert names(drawing) == ["x", "x2", "w", "b", "y", "h"]
    check(drawing)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("for", "'for' is a Python keyword; choose another name."),
        ("torch", "'torch' is used by the code itself; choose another name."),
        ("2x", "'2x' is no Python name; use letters, digits and _, and no digit first."),
        ("b", "There is a leaf b already; choose another."),
        ("loss", "There is a result loss already; choose another."),
        ("", "A name can't be empty; write a letter or a word."),
        ("__x__", "'__x__' looks like Python's own; choose a name that does not begin with __."),
        ("x" * 81, "This name has 81 characters; choose one with 80 at most."),
    ],
)
def test_names_that_are_refused(name: str, sentence: str) -> None:
    drawing, ids = squared_error()
    with pytest.raises(UserError) as refusal:
        shaping.rename(drawing, ids["w"], name)
    assert str(refusal.value) == sentence


def test_a_name_is_what_python_makes_of_it() -> None:
    drawing, ids = squared_error()
    assert leaf(shaping.rename(drawing, ids["w"], " ﬁt "), ids["w"]).name == "fit"


# wires


def test_what_can_not_be_connected() -> None:
    drawing, ids = squared_error()
    free = shaping.disconnect(drawing, ids["mul"], 0)
    cases: list[tuple[Callable[[], Drawing], str]] = [
        (
            lambda: shaping.connect(drawing, Ref(ids["w"]), ids["mul"], 1),
            "other of mul has a wire already; take it off",
        ),
        (lambda: shaping.connect(free, Ref(ids["pow"]), ids["mul"], 0), "circle: loss already depends on mul."),
        (lambda: shaping.connect(free, Ref(ids["mul"]), ids["mul"], 0), "circle: mul can't be its own input."),
        (lambda: shaping.connect(free, Ref(ids["w"]), ids["x"], 0), "x is a leaf and has no inputs"),
        (lambda: shaping.connect(free, Ref(ids["w"], 1), ids["mul"], 0), "w has only 1 output."),
        (lambda: shaping.connect(free, Ref(ids["w"]), ids["mul"], 2), "mul has no input 3; it has 2."),
        (lambda: shaping.connect(free, Ref(999), ids["mul"], 0), "no longer in the drawing"),
        (lambda: shaping.disconnect(free, ids["mul"], 0), "input of mul has no wire."),
        (lambda: shaping.set_number(free, ids["mul"], 1, 3), "other of mul has a wire already"),
    ]
    for edit, sentence in cases:
        with pytest.raises(UserError, match=sentence.replace(".", r"\.")):
            edit()


def test_a_wire_takes_the_place_of_a_number() -> None:
    drawing, ids = squared_error()
    drawing = shaping.connect(drawing, Ref(ids["w"]), ids["pow"], 1)
    assert operation(drawing, ids["pow"]).inputs[1] == Ref(ids["w"])


def test_numbers_stand_only_where_pytorch_takes_them() -> None:
    drawing, add = shaping.new_operation(Drawing(), "add", 0, 0)
    drawing = shaping.set_number(drawing, add, 1, 2.0)
    assert operation(drawing, add).inputs == (None, Number(2.0))
    with pytest.raises(UserError, match="One input of y must be a tensor"):
        shaping.set_number(drawing, add, 0, 1.0)
    assert operation(shaping.set_number(drawing, add, 1, None), add).inputs == (None, None)
    drawing, matmul = shaping.new_operation(drawing, "matmul", 0, 0)
    with pytest.raises(UserError, match="other of h must be a tensor; connect a leaf to it"):
        shaping.set_number(drawing, matmul, 1, 2.0)


def test_any_number_of_inputs() -> None:
    drawing, stack = shaping.new_operation(Drawing(), "stack", 0, 0)
    ids = []
    for port in range(3):
        drawing, id = shaping.new_leaf(drawing, 0, 0)
        drawing = shaping.connect(drawing, Ref(id), stack, port)
        ids.append(id)
    drawing = shaping.disconnect(drawing, stack, 1)
    assert operation(drawing, stack).inputs == (Ref(ids[0]), Ref(ids[2]))
    assert operation(shaping.delete(drawing, {ids[0]}), stack).inputs == (Ref(ids[2]),)
    with pytest.raises(UserError, match="stack has no input 4; it has 2"):
        shaping.connect(drawing, Ref(ids[1]), stack, 3)


def test_an_operation_goes_into_a_wire() -> None:
    drawing, ids = squared_error()
    drawing, tanh = shaping.insert_on_wire(drawing, "tanh", ids["add"], 0)
    assert operation(drawing, tanh).inputs == (Ref(ids["mul"]),)
    assert operation(drawing, ids["add"]).inputs[0] == Ref(tanh)
    assert operation(drawing, tanh).names == ()
    assert (operation(drawing, tanh).x, operation(drawing, tanh).y) == (300, 0)
    check(drawing)
    with pytest.raises(UserError, match="exponent of loss has no wire to put exp into"):
        shaping.insert_on_wire(drawing, "exp", ids["pow"], 1)


def test_a_mask_is_wired_into_an_index_and_taken_off() -> None:
    leaves = (Leaf(1, "x", (1.0, 2.0)), Leaf(2, "m", (True, False)), Leaf(3, "r", (0, 1)))
    drawing, index = shaping.new_operation(Drawing(leaves, next_id=4), "Tensor.__getitem__", 0, 0)
    drawing = shaping.connect(shaping.connect(drawing, Ref(1), index, 0), Ref(2), index, 1)
    assert "= x[m]\n" in text_of(drawing)
    assert "= x[None, m]\n" in text_of(shaping.set_param(drawing, index, "index", "None"))
    assert "= x[m, None]\n" in text_of(shaping.set_param(drawing, index, "index", "_, None"))
    assert "index needs a tensor for each _" in text_of(shaping.set_param(drawing, index, "index", "_, _"))
    without = shaping.disconnect(drawing, index, 0)
    assert operation(without, index).inputs == (None, Ref(2)), "the mask stays a mask"
    assert operation(shaping.delete(drawing, [2]), index).inputs == (Ref(1),)
    assert "index needs index" in text_of(shaping.disconnect(drawing, index, 1))


def test_an_output_that_goes_takes_its_wires_along() -> None:
    drawing, x = shaping.new_leaf(Drawing(), 0, 0, data=(1.0, 2.0))
    drawing, top = shaping.new_operation(drawing, "max", 0, 0, (("dim", 0),))
    drawing, exp = shaping.new_operation(drawing, "exp", 0, 0)
    drawing = shaping.connect(shaping.connect(drawing, Ref(x), top, 0), Ref(top, 1), exp, 0)
    assert len(operation(drawing, top).names) == 2
    drawing = shaping.set_param(drawing, top, "dim", None)
    assert operation(drawing, exp).inputs == (None,)
    assert len(operation(drawing, top).names) == 1
    check(drawing)


# leaves and parameters


@pytest.mark.parametrize(
    ("data", "maker", "sentence"),
    [
        (((1.0, 2.0), (3.0,)), "tensor", "Row 2 has 1 number, another has 2; give all rows the same length."),
        ((1.0, (2.0,)), "tensor", "Row 1 is the number 1.0 among rows; write all of them as rows."),
        (("a",), "tensor", "'a' is no number; write numbers such as 1.5 or -2."),
        ((1.0,) * 50_001, "tensor", "A leaf may hold 50,000 written numbers at most; use randn or zeros"),
        ((2.5, 3), "randn", "A shape is made of whole numbers such as (2, 3), and 2.5 is none."),
        ((2,), "evil", "There is no factory 'evil'; choose one such as randn, zeros or arange."),
        (
            (1, 2),
            "tensor",
            "Only floating point numbers can have a gradient, and w holds whole numbers; choose float32.",
        ),
    ],
)
def test_leaves_that_are_refused(data: tuple[float, ...], maker: str, sentence: str) -> None:
    with pytest.raises(UserError) as refusal:
        shaping.new_leaf(Drawing(), 0, 0, data=data, maker=maker, requires_grad=True)
    assert sentence in str(refusal.value)


def test_a_leaf_is_changed_in_what_is_given_only() -> None:
    drawing, ids = squared_error()
    changed = shaping.change_leaf(drawing, ids["w"], data=4.5, slider=(-5, 5))
    assert leaf(changed, ids["w"]) == replace(leaf(drawing, ids["w"]), data=4.5, slider=(-5, 5))
    assert leaf(shaping.change_leaf(changed, ids["w"], slider=None), ids["w"]).slider is None
    assert shaping.change_leaf(drawing, ids["w"], data=3.0) is drawing
    with pytest.raises(UserError, match="has dtype int64"):
        shaping.change_leaf(drawing, ids["w"], dtype="int64")
    with pytest.raises(UserError, match="least value must be below"):
        shaping.change_leaf(drawing, ids["w"], slider=(1, 1))
    with pytest.raises(UserError, match="seed is a whole number"):
        shaping.change_leaf(drawing, ids["w"], seed=-1)
    with pytest.raises(UserError, match="mul is computed"):
        shaping.change_leaf(drawing, ids["mul"], data=1.0)


def test_arguments_stand_in_the_order_of_the_signature_and_defaults_not_at_all() -> None:
    drawing, id = shaping.new_operation(Drawing(), "sum", 0, 0)
    drawing = shaping.set_param(drawing, id, "keepdim", True)
    drawing = shaping.set_param(drawing, id, "dim", 1)
    assert operation(drawing, id).params == (("dim", 1), ("keepdim", True))
    assert operation(shaping.set_param(drawing, id, "keepdim", False), id).params == (("dim", 1),)
    with pytest.raises(UserError, match="keepdim of sum is True or False, and 1 is not"):
        shaping.set_param(drawing, id, "keepdim", 1)
    with pytest.raises(UserError, match="sum has no parameter 'p'"):
        shaping.set_param(drawing, id, "p", 1)
    with pytest.raises(UserError, match="There is no operation 'magic'"):
        shaping.new_operation(drawing, "magic", 0, 0)


# parts, groups, calls, places


def test_what_is_deleted_goes_with_its_wires_calls_and_groups() -> None:
    drawing, ids = squared_error()
    drawing = shaping.add_call(drawing, Ref(ids["pow"]))
    drawing = replace(drawing, calls=(replace(drawing.calls[0], inputs=(ids["w"], ids["b"])),))
    drawing, _ = shaping.group(drawing, {ids["w"]}, "weights")
    drawing = shaping.delete(drawing, {ids["w"]})
    assert drawing.groups == ()
    assert drawing.calls[0].inputs == (ids["b"],)
    assert operation(drawing, ids["mul"]).inputs == (None, Ref(ids["x"]))
    drawing = shaping.delete(drawing, {ids["pow"]})
    assert drawing.calls == ()
    check(drawing)


def test_a_closed_group_is_deleted_with_its_members_and_an_open_one_without() -> None:
    drawing, ids = squared_error()
    drawing, group = shaping.group(drawing, {ids["w"], ids["x"]})
    assert len(shaping.delete(drawing, {group}).nodes) == 8
    assert len(shaping.delete(shaping.set_group_closed(drawing, group, True), {group}).nodes) == 6


def test_a_duplicate_keeps_the_wires_from_outside() -> None:
    drawing, ids = squared_error()
    drawing, new = shaping.duplicate(drawing, {ids["mul"], ids["w"]}, 10, 20)
    leaf_, mul = sorted(new)
    assert leaf(drawing, leaf_).name == "w2"
    assert operation(drawing, mul).inputs == (Ref(leaf_), Ref(ids["x"]))
    assert leaf(drawing, leaf_).y == leaf(drawing, ids["w"]).y + 20
    check(drawing)


def test_a_part_is_put_into_another_drawing_with_its_backward_call() -> None:
    drawing, ids = squared_error()
    drawing = shaping.add_call(drawing, Ref(ids["pow"]))
    whole = shaping.part(drawing, ids.values())
    assert whole.calls == drawing.calls
    assert shaping.part(drawing, {ids["pow"], ids["sub"]}).calls == ()
    joined, new = shaping.take_in(drawing, whole, 500, 700)
    assert len(joined.calls) == 2
    assert joined.calls[1].root.node in new
    assert [name for name in names(joined) if name.endswith("2")] == ["w2", "x2", "b2", "t2", "loss2"]
    spots = [(node.x, node.y) for node in joined.nodes if node.id in new]
    assert (min(x for x, _ in spots) + max(x for x, _ in spots)) / 2 == 500
    assert (min(y for _, y in spots) + max(y for _, y in spots)) / 2 == 700
    check(joined)


def test_a_node_is_in_one_group_at_most() -> None:
    drawing, ids = squared_error()
    drawing, first = shaping.group(drawing, {ids["w"], ids["x"]})
    drawing, second = shaping.group(drawing, {ids["x"], ids["b"]}, "two")
    assert {group.id: group.members for group in drawing.groups} == {
        first: {ids["w"]},
        second: {ids["x"], ids["b"]},
    }
    assert [group.title for group in drawing.groups] == ["Group 1", "two"]
    assert len(shaping.ungroup(drawing, first).groups) == 1
    with pytest.raises(UserError, match="Select the nodes first"):
        shaping.group(drawing, set())


def test_backward_calls_are_checked() -> None:
    drawing, ids = squared_error()
    drawing = shaping.add_call(drawing, Ref(ids["mul"]))
    assert operation(drawing, ids["mul"]).names == ("y",)
    changed = shaping.change_call(drawing, 0, BackwardCall(Ref(ids["pow"]), retain_graph=True))
    assert changed.calls[0].retain_graph
    assert shaping.remove_call(drawing, 0).calls == ()
    cases = [
        (BackwardCall(Ref(ids["pow"]), inputs=()), "Choose the leaves"),
        (BackwardCall(Ref(ids["pow"]), inputs=(ids["mul"],)), "y is computed; backward's inputs are leaves"),
        (BackwardCall(Ref(ids["pow"], 1)), "loss has only 1 output"),
    ]
    for call, sentence in cases:
        with pytest.raises(UserError, match=sentence):
            shaping.change_call(drawing, 0, call)
    with pytest.raises(UserError, match="no longer in the drawing"):
        shaping.remove_call(drawing, 1)


def test_things_are_aligned_by_their_edges() -> None:
    drawing, ids = squared_error()
    sizes = {ids["w"]: (100.0, 40.0), ids["mul"]: (40.0, 60.0)}
    both = (ids["w"], ids["mul"])
    moved = shaping.align(drawing, both, "right", sizes)
    assert [moved.by_id[id].x + sizes[id][0] / 2 for id in both] == [220, 220]
    moved = shaping.align(drawing, both, "middle", sizes)
    assert [moved.by_id[id].y for id in both] == [0, 0]
    with pytest.raises(UserError, match="Select two nodes or more"):
        shaping.align(drawing, both[:1], "left")


def test_gaps_become_equal() -> None:
    drawing, ids = squared_error()
    three = {ids["w"]: (0.0, 0.0), ids["x"]: (10.0, 0.0), ids["b"]: (100.0, 0.0)}
    moved = shaping.distribute(shaping.move_to(drawing, three), three, "across")
    assert [moved.by_id[id].x for id in three] == [0, 50, 100]


def test_a_group_moves_with_its_members() -> None:
    drawing, ids = squared_error()
    drawing, group = shaping.group(drawing, {ids["w"], ids["x"]})
    moved = shaping.move(drawing, {group}, 5, 6)
    assert [(node.x, node.y) for node in moved.nodes[:3]] == [(5, 6), (5, 106), (0, 200)]


def test_places_and_comments_do_not_change_the_code() -> None:
    drawing, ids = squared_error()
    moved = shaping.pin(shaping.move(drawing, ids.values(), 5, 5), ids.values(), True)
    noted, comment = shaping.new_comment(moved, 0, 0, "a line")
    noted = shaping.change_comment(noted, comment, width=3, text="one neuron")
    assert noted.comments[0].width == 40
    assert text_of(noted) == text_of(drawing)


# all of them


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_every_edit_keeps_what_is_true_of_all_drawings(seed: int) -> None:
    walk, drawing = Walk(seed), Drawing()
    for _ in range(40):
        _, drawing = walk.step(drawing)
    check(drawing)


def test_a_chain_of_ten_thousand_is_edited() -> None:
    drawing = chain(10_000)
    with pytest.raises(UserError, match="circle"):
        shaping.connect(shaping.disconnect(drawing, 2, 1), Ref(10_001), 2, 1)
    assert len(shaping.ancestors(drawing, (10_001,))) == 10_001
    cut = shaping.delete(drawing, {5_000})
    assert [node.id for node in cut.nodes if isinstance(node, Operation) and node.names] == [4_999, 10_001]
    assert operation(cut, 5_001).inputs == (None, Ref(1))
