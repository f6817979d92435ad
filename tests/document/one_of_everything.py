"""A small drawing with one of everything, for the tests of files."""

from __future__ import annotations

from gradviz.document.documents import Contents, Sight, Stop
from gradviz.document.drawing import BackwardCall, Comment, Drawing, Group, Leaf, Number, Operation, Ref
from gradviz.document.shaping import tidy


def everything() -> Drawing:
    """Leaves of numbers that JSON has and of some that it hasn't, operations, a comment, a group, two calls."""
    infinite = float("inf")
    drawing = Drawing(
        nodes=(
            Leaf(1, "w", 3.0, requires_grad=True, slider=(-1.0, 2.5), x=10.0, y=20.5, pinned=True),
            Leaf(2, "x", ((1.0, 0.1), (-0.0, 1e-320)), dtype="float64"),
            Leaf(3, "c", (complex(1.5, -0.0), complex(infinite, -2.0))),
            Leaf(4, "R", (2, 2), "randn", seed=7, requires_grad=True, x=-5.0),
            Leaf(9, "big", 2**80),
            Leaf(10, "edge", (infinite, -infinite)),
            Operation(5, "mul", (Ref(1), Ref(2)), x=100.0, y=3.25),
            Operation(6, "pow", (Ref(5), Number(2)), x=200.0),
            Operation(11, "sum", (Ref(6),), (("dim", (0, 1)), ("keepdim", False)), ("loss",), x=300.0),
            Operation(12, "add", (Ref(4), None), x=300.0, y=90.0),
        ),
        comments=(Comment(7, "what it is\nabout: ∂L/∂w", 1.0, 2.0, 300.0, 80.5),),
        groups=(Group(8, "the square", frozenset({5, 6}), True),),
        calls=(BackwardCall(Ref(11), 1.0, True, inputs=(1,)), BackwardCall(Ref(11), create_graph=True)),
        next_id=14,
        newline="\r\n",
    )
    return tidy(drawing)


def with_its_view() -> Contents:
    """The same, as it was looked at."""
    return Contents(everything(), "Look at w.", Sight(level=2, closed=frozenset({"a", "b"}), stops=(Stop(line=4),)))
