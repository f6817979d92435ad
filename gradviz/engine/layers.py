"""The function transforms that are open now: each `torch.func.grad`, `jvp` or `vmap` that runs is one layer on a stack,
and a dual level of `torch.autograd.forward_ad` is open or not. While there is any, operations take the longer way of
`layered.py`. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.engine.state import state

if TYPE_CHECKING:
    from gradviz.engine.batched import BatchedArray

Array = np.ndarray[Any, Any]

_RANDOM_REFUSED = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)


@dataclass(frozen=True)
class Layer:
    """One transform that runs. Numbers grow for ever, so that what a closed layer left behind is never taken for that
    of another."""

    number: int
    kind: str  # "grad", "jvp" or "vmap"
    size: int = 0
    randomness: str = "error"


stack: list[Layer] = []
duals: list[int] = []  # the open levels of forward differentiation, innermost last
_last = 0
_kept = False  # a graph with batched tensors outlives its vmap


def next_number() -> int:
    """A number that no layer or level had before."""
    global _last
    _last += 1
    return _last


def refresh() -> None:
    """Tell the operations whether there is anything that they have to look for."""
    state.layered = bool(stack or duals or _kept)


def keep_looking() -> None:
    """A graph holds batched tensors, so that a backward pass meets them also when no layer is open."""
    global _kept
    _kept = True
    refresh()


@contextmanager
def layer(kind: str, size: int = 0, randomness: str = "error") -> Iterator[Layer]:
    """Open a layer for a while."""
    opened = Layer(next_number(), kind, size, randomness)
    stack.append(opened)
    refresh()
    try:
        yield opened
    finally:
        stack.remove(opened)
        refresh()


def open_dual() -> int:
    """Open a level of forward differentiation."""
    number = next_number()
    duals.append(number)
    refresh()
    return number


def close_dual(number: int) -> None:
    """Close a level: the tangents that belong to it count no more."""
    duals.remove(number)
    refresh()


@contextmanager
def dual() -> Iterator[int]:
    """A level of forward differentiation for a while."""
    number = open_dual()
    try:
        yield number
    finally:
        close_dual(number)


def depth_of(number: int) -> int | None:
    """The level that PyTorch shows for a layer (the outermost is 1), None when it is closed."""
    return next((at for at, each in enumerate(stack, 1) if each.number == number), None)


def tracking() -> tuple[int, ...]:
    """The open layers that differentiate: everything made now is wrapped by each of them."""
    return tuple(each.number for each in stack if each.kind != "vmap")


def maps() -> list[Layer]:
    """The open vmaps, outermost first."""
    return [each for each in stack if each.kind == "vmap"]


def drawn(draw: Callable[[Any], Any], shape: Any) -> Any:
    """Random numbers under vmap: refused, one set for every example, or one for each, as its `randomness` says."""
    from gradviz.engine.batched import BatchedArray

    batched = isinstance(shape, BatchedArray)
    own: tuple[Layer, ...] = tuple(each for each in maps() if each.randomness != "same")
    if any(each.randomness == "error" for each in own):
        raise RuntimeError(_RANDOM_REFUSED)
    if batched and len(own) < len(maps()):
        raise RuntimeError(
            "Vmap does not currently support same randomness with a batched tensor input as they will require the "
            "random numbers to differ"
        )
    numbers = tuple(each.number for each in own)
    sizes = tuple(each.size for each in own)
    if isinstance(shape, tuple):
        found = draw((*sizes, *shape))
        return BatchedArray(found, numbers) if own else found
    return _drawn_for(draw, shape, numbers, sizes)


def _drawn_for(
    draw: Callable[[Any], Any], given: Array | BatchedArray, numbers: tuple[int, ...], sizes: tuple[int, ...]
) -> Any:
    """As `drawn`, where the numbers follow an array of parameters."""
    from gradviz.engine.batched import BatchedArray, spread

    if not numbers:
        return draw(given)
    return BatchedArray(draw(np.ascontiguousarray(spread(given, numbers, sizes))), numbers)
