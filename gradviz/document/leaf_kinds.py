"""The kinds of leaf that can be placed, with the initial value of each and its name in the palette and the menu (a leaf
stores no kind: its numbers determine it), and the factories that may make one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gradviz.document.drawing import Literal


@dataclass(frozen=True)
class LeafKind:
    """One kind; only a random one has a `seed`."""

    key: str
    title: str
    brief: str
    symbol: str
    data: Literal
    maker: str = "tensor"
    seed: int | None = None
    requires_grad: bool = False


LEAF_KINDS = (
    LeafKind("scalar", "Scalar", "one number, with a slider", "3.", 1.0),
    LeafKind("parameter", "Parameter", "one number that gets a gradient", "w", 1.0, requires_grad=True),
    LeafKind("vector", "Vector", "a row of numbers", "[ ]", (1.0, 2.0, 3.0)),
    LeafKind("matrix", "Matrix", "numbers in rows and columns", "[[]]", ((1.0, 2.0), (3.0, 4.0))),
    LeafKind("randn", "Random (randn)", "random numbers of a shape, from a seed", "≈", (2, 3), "randn", seed=0),
    LeafKind("zeros", "Zeros", "zeros of a shape", "0", (2, 3), "zeros"),
    LeafKind("ones", "Ones", "ones of a shape", "1", (2, 3), "ones"),
    LeafKind("arange", "Range (arange)", "0, 1, 2, … up to a number", "0…", (6,), "arange"),
)


def leaf_kind(key: str) -> LeafKind | None:
    """Return the kind with this key."""
    return next((kind for kind in LEAF_KINDS if kind.key == key), None)


# -- factories (`torch.randn(2, 3)`): one row each, with the names of its positional arguments. How a factory is
# written, read, checked and typed follows from its row; how its arguments are edited is in `leaf_forms`.

SIZE = ("size",)


@dataclass(frozen=True)
class Factory:
    """A factory; a `random` one takes its numbers from the generator, which a leaf may seed."""

    name: str
    arguments: tuple[str, ...] = SIZE
    random: bool = False


_ROWS = (
    Factory("zeros"),
    Factory("ones"),
    Factory("empty"),
    Factory("randn", random=True),
    Factory("rand", random=True),
    Factory("randint", ("low", "high", "size"), random=True),
    Factory("randperm", ("n",), random=True),
    Factory("normal", ("mean", "std", "size"), random=True),
    Factory("full", ("size", "fill_value")),
    Factory("arange", ("start", "end", "step")),
    Factory("linspace", ("start", "end", "steps")),
    Factory("logspace", ("start", "end", "steps", "base")),
    Factory("eye", ("n", "m")),
)
FACTORIES: Mapping[str, Factory] = {row.name: row for row in _ROWS}
SHAPED = frozenset(row.name for row in _ROWS if row.arguments == SIZE)  # the shape is written as `torch.zeros(2, 3)`
RANDOM = frozenset(row.name for row in _ROWS if row.random)
