"""The factories that may make a leaf (`torch.randn(2, 3)`): one row each, with the names of its positional arguments.
What is written, read, checked and typed of a factory follows from its row; how its arguments are edited is in
`leaf_forms`, which of them the palette offers in `leaf_kinds`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SIZE = ("size",)


@dataclass(frozen=True)
class Factory:
    """One of them; a `random` one takes its numbers from the generator, which a leaf may seed."""

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
