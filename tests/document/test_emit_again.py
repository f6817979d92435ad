"""What is known of the code of the drawing before gives the same code as writing all of it anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.document.code.emit import Emitted, emit
from gradviz.document.documents import code_of
from gradviz.document.drawing import BackwardCall, Drawing, Leaf, Literal, Number, Operation, Ref

LEAF = Leaf(1, "w", 0.5, requires_grad=True)
OTHER = Leaf(2, "m", ((1.0, 2.0), (3.0, 4.0)))
POWER = Operation(3, "pow", (Ref(1), Number(2)), names=("y",))
DRAWING = Drawing((LEAF, OTHER, POWER), calls=(BackwardCall(Ref(3)),), next_id=4)


def _after(before: Drawing, after: Drawing) -> Emitted:
    """The code of `after` when that of `before` is the one that is known."""
    before = replace(before)
    assert code_of(before).text
    return code_of(after)


@pytest.mark.parametrize("data", [0.25, -1e-9, 1, True, float("nan"), float("inf"), -0.0, (1.0, 2.0)])
def test_another_number_in_a_leaf(data: Literal) -> None:
    changed = replace(DRAWING, nodes=(replace(LEAF, data=data), OTHER, POWER))
    assert _after(DRAWING, changed) == emit(changed)


def test_a_leaf_that_takes_more_lines() -> None:
    rows = tuple(tuple(float(at * 10 + k) for k in range(10)) for at in range(8))
    changed = replace(DRAWING, nodes=(LEAF, replace(OTHER, data=rows), POWER))
    assert _after(DRAWING, changed) == emit(changed)
    assert _after(changed, DRAWING) == emit(DRAWING)


def test_another_place_is_no_other_code() -> None:
    known = replace(DRAWING)
    moved = replace(known, nodes=tuple(replace(node, x=40.0) for node in known.nodes))
    assert code_of(known) is code_of(moved)


@pytest.mark.parametrize(
    "node",
    [
        replace(POWER, inputs=(Ref(1), Number(2.0))),
        replace(POWER, inputs=(Ref(1), Number(True))),
        replace(POWER, op="mul"),
        replace(POWER, names=("z",)),
        replace(POWER, inputs=(Ref(2), Number(2))),
    ],
)
def test_an_operation_that_says_something_else(node: Operation) -> None:
    changed = replace(DRAWING, nodes=(LEAF, OTHER, node))
    assert _after(DRAWING, changed) == emit(changed)


def test_equal_is_not_always_written_alike() -> None:
    whole = replace(DRAWING, calls=(BackwardCall(Ref(3), gradient=1),))
    real = replace(DRAWING, calls=(BackwardCall(Ref(3), gradient=1.0),))
    assert _after(whole, real) == emit(real)


def test_a_leaf_of_another_dtype_or_name() -> None:
    for leaf in (replace(LEAF, dtype="float64"), replace(LEAF, name="v"), replace(LEAF, requires_grad=False)):
        changed = replace(DRAWING, nodes=(leaf, OTHER, POWER))
        assert _after(DRAWING, changed) == emit(changed)
