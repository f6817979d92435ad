"""The open function transforms: each running `torch.func.grad`, `jvp` or `vmap` is one layer on a stack, and a dual
level of `torch.autograd.forward_ad` is open or not. While any is open, operations take the slower path through
`layered.py`. Nothing is computed here."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np

from gradviz.engine.kernel.batched import BatchedArray, levels_of, spread
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.state import on_new_run, state
from gradviz.engine.kernel.tensor import Tensor

if TYPE_CHECKING:
    from gradviz.engine.kernel.tensor import Tensor

F = TypeVar("F", bound=Callable[..., object])

_RANDOM_REFUSED = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
_LEGACY_REFUSED = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of "
    "vmap as a workaround"
)


@dataclass(frozen=True)
class Layer:
    """One running transform. Numbers are never reused, so that leftovers of a closed layer are never attributed to
    another one."""

    number: int
    kind: str  # "grad", "jvp" or "vmap"
    size: int = 0
    randomness: str = "error"  # "different", "same"; or "legacy": the older vmap of batched gradients, less strict


class Transforms(Protocol):
    """How operations run while a layer is open; `layered` implements it and registers itself here, for modules below
    it."""

    def apply(self, row: object, tensors: object, arrays: object, params: object) -> Any:
        """Run an operation."""

    def write(self, target: Tensor, row: object, tensors: object, arrays: object, params: object) -> Tensor:
        """Run an in-place operation."""

    def add(self, tensor: object, level: int, dim: int) -> Any:
        """Add a level: turn a dimension of a tensor into the examples of that level."""

    def remove(self, tensor: object, level: int, dim: int, size: int) -> Tensor:
        """Remove a level: turn its examples back into a dimension."""


transforms: Transforms
apply_function: Callable[[Any, tuple[object, ...]], Any]  # runs a custom function; `custom_functions` sets it
stack: list[Layer] = []
duals: list[int] = []  # the open levels of forward differentiation, innermost last
_last = 0
_drawing: list[bool] = []  # not empty while random numbers for all examples are drawn
making_numberless = False  # factories make tensors on the meta device
_kept = False  # a graph with batched tensors has outlived its vmap


@on_new_run
def _close_all() -> None:
    global _kept, making_numberless
    _kept = making_numberless = False
    for opened in (stack, duals, _drawing):
        opened.clear()
    refresh()


def next_number() -> int:
    """A number that no layer or level has had before."""
    global _last
    _last += 1
    return _last


def refresh() -> None:
    """Tell the operations whether there is anything to look for."""
    state.layered = bool(stack or duals or _kept)


def keep_looking() -> None:
    """A graph holds batched tensors, so a backward pass meets them even when no layer is open."""
    global _kept
    _kept = True
    refresh()


@contextmanager
def without_numbers() -> Iterator[None]:
    """What is made in this `with` block is on the meta device, which operations notice from then on."""
    global making_numberless
    before, making_numberless = making_numberless, True
    keep_looking()
    try:
        yield
    finally:
        making_numberless = before


def mark_numberless(tensors: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> None:
    """What is computed from tensors on the meta device is there, too."""
    if making_numberless or any(each is not None and each._on_meta for each in tensors):
        for output in outputs:
            output._on_meta = True


@contextmanager
def layer(kind: str, size: int = 0, randomness: str = "error") -> Iterator[Layer]:
    """Open a layer for the duration of a `with` block."""
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
    """Close a level: its tangents no longer count."""
    duals.remove(number)
    refresh()


@contextmanager
def dual() -> Iterator[int]:
    """A level of forward differentiation for the duration of a `with` block."""
    number = open_dual()
    try:
        yield number
    finally:
        close_dual(number)


def depth_of(number: int) -> int | None:
    """The level that PyTorch shows for a layer (the outermost is 1), None if it is closed."""
    return next((at for at, each in enumerate(stack, 1) if each.number == number), None)


def tracking() -> tuple[int, ...]:
    """The open layers that differentiate: each of them wraps everything that is made now."""
    return tuple(each.number for each in stack if each.kind != "vmap")


def maps() -> list[Layer]:
    """The open vmaps, outermost first."""
    return [each for each in stack if each.kind == "vmap"]


def refuse_requires_grad() -> None:
    """Inside a transform only the transform decides what is differentiated."""
    if stack:
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) "
            "inside of a function being transformed by a functorch transform. This is unsupported, please attempt to "
            "use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside "
            "of a function being transformed instead."
        )


def refuse_backward() -> None:
    """Inside a transform there are no leaves that could keep gradients."""
    if stack:
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )


def per_example(at: int) -> Callable[[F], F]:
    """Decorate a function that draws random numbers, whose argument `at` is the shape (or an array of parameters):
    under vmap it is refused, or draws one set of numbers for every example, or one for each, as `randomness` says."""

    def mark(fn: F) -> F:
        @functools.wraps(fn)
        def draw(*args: object, **kwargs: object) -> Any:
            if not state.layered or _drawing or not maps():
                return fn(*args, **kwargs)
            return _drawn(lambda given: fn(*args[:at], given, *args[at + 1 :], **kwargs), args[at])

        return cast(F, draw)

    return mark


def check_drawn_in_place(data: Array) -> None:
    """Numbers that differ from example to example need memory for every example."""
    known = levels_of(data)
    if any(each.randomness == "different" and each.number not in known for each in maps()):
        raise RuntimeError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
            "randomness. If this is necessary for your usage, please file an issue with functorch."
        )


def refuse_same(data: Array) -> None:
    """One set of numbers can't follow parameters that differ from example to example."""
    if levels_of(data) and any(each.randomness == "same" for each in maps()):
        raise RuntimeError(
            "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with "
            "functorch"
        )


def _drawn(draw: Callable[[object], Any], given: Any) -> Any:
    own = [each for each in maps() if each.randomness != "same"]
    if any(each.randomness == "legacy" for each in own):
        raise RuntimeError(_LEGACY_REFUSED)
    if any(each.randomness == "error" for each in own):
        raise RuntimeError(_RANDOM_REFUSED)
    refuse_same(given)
    numbers, sizes = tuple(each.number for each in own), tuple(each.size for each in own)
    _drawing.append(True)
    try:
        if not own:
            return draw(given)
        if isinstance(given, (tuple, list)):
            return BatchedArray(draw((*sizes, *given)), numbers)
        if isinstance(given, (BatchedArray, np.ndarray)):
            return BatchedArray(draw(np.ascontiguousarray(spread(given, numbers, sizes))), numbers)
        rows = np.stack([draw(given) for _ in range(math.prod(sizes))])
        return BatchedArray(rows.reshape((*sizes, *rows.shape[1:])), numbers)
    finally:
        _drawing.pop()
