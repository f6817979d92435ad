"""What becomes of an honest call: sizes, strides, offsets and indices that nobody means, numbers that answer otherwise
when they are asked again, other element types, tensors that lie in memory in every way. Decisions are read from bytes,
so that hypothesis can make them smaller."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradviz.torch as torch
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.worker.objects.numpy_boundary import to_snippet
from tests.fuzz.choices import Choices
from tests.memory.calls import Feed

SMALL = (0, 1, 2, 3, 4, 5, 7, -1, -2, -3)
HUGE = (
    2**31 - 1, 2**31, 2**32, 2**40, 2**61, 2**62, 2**63 - 1, 2**63, 2**64, -(2**31), -(2**62), -(2**63), -(2**63) - 1,
    (2**64) // 3, 10**30, 39_000_000, 1000,
)  # fmt: skip
FLOATS = (0.0, -1.0, 0.5, 1e-300, 1e308, -1e308, math.inf, -math.inf, math.nan, 2.5, 1e6)
DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip
MODES = ("raise", "wrap", "clip")
MARGIN = 24  # elements of canaries before and behind a tensor
Place = Callable[[Any], Any]


class Fickle:
    """A whole number that is another one when it is asked again."""

    def __init__(self, *answers: int) -> None:
        self._answers = list(answers)

    def __index__(self) -> int:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    __int__ = __index__

    def __repr__(self) -> str:
        return f"Fickle{tuple(self._answers)}"


class FickleSizes(list):  # type: ignore[type-arg]
    """Sizes that are others when they are looked at again."""

    def __init__(self, first: Any, then: Any) -> None:
        super().__init__(first)
        self._then = list(then)

    def __iter__(self) -> Any:
        found = list(super().__iter__())
        self[:] = self._then
        return iter(found)

    def __repr__(self) -> str:
        return f"FickleSizes({self[:]}, {self._then})"


class NoType:
    """What looks like an element type to whoever does not look closely."""

    itemsize, rank, name, is_complex, is_floating_point, title = 8, 2, "float64", False, True, "Double"
    np = "O"


class Arena:
    """The memory that one tensor of a call lies in, with canaries before, behind and between its elements."""

    def __init__(self, values: Any, layout: str, canary: int) -> None:
        self.place, self.length = _placed(values.shape, layout)
        self.buffer = np.empty(self.length, values.dtype)
        self.buffer.view(np.uint8)[...] = canary
        self.place(self.buffer)[...] = values
        around = np.ones(self.length, bool)
        self.place(around)[...] = False
        self.around = around
        self.before = self.buffer.copy()
        self.array = self.place(self.buffer)
        self.tensor: Tensor = wrap(self.array)
        if layout == "expanded" and values.ndim and values.shape[0]:
            self.tensor = self.tensor[:1].expand(values.shape)

    def is_unharmed(self, resized: Sequence[Any] = ()) -> bool:
        """Whether nobody has written to the elements that do not belong to the tensor. An `out` that was resized takes
        the memory from its first element on, as in PyTorch."""
        around, start = self.around.copy(), self.buffer.__array_interface__["data"][0]
        for each in resized:
            first = each.__array_interface__["data"][0] - start
            if 0 <= first < self.buffer.nbytes:
                around[first // self.buffer.itemsize :] = False
        return bool((self.buffer[around].view(np.uint8) == self.before[around].view(np.uint8)).all())


LAYOUTS = ("inside", "turned", "stepped", "expanded", "alone")
ARRAY_LAYOUTS = ("inside", "turned", "stepped", "backwards", "alone")


def _placed(shape: tuple[int, ...], layout: str) -> tuple[Place, int]:
    """How a tensor lies in its memory, and how many elements that has."""
    n = math.prod(shape)
    if layout == "alone":
        return lambda memory: memory.reshape(shape), n
    if layout == "turned":
        return lambda memory: memory[MARGIN : MARGIN + n].reshape(shape[::-1]).T, n + 2 * MARGIN
    if layout == "stepped":
        return lambda memory: memory[MARGIN : MARGIN + 2 * n : 2].reshape(shape), 2 * n + 2 * MARGIN
    if layout == "backwards":
        return lambda memory: memory[MARGIN : MARGIN + n][::-1].reshape(shape), n + 2 * MARGIN
    return lambda memory: memory[MARGIN : MARGIN + n].reshape(shape), n + 2 * MARGIN


NONE, LEAF, COPY = "no gradients", "leaves", "copies of leaves, which may be written to"


def tracked(tensor: Tensor, how: str) -> Tensor:
    """The tensor, with or without history."""
    if how == NONE or tensor.dtype.rank < 2:
        return tensor
    return tensor.requires_grad_() if how == LEAF else tensor.requires_grad_().clone()


class Change:
    """Makes the arguments of a call anew, with some of them changed."""

    def __init__(self, choices: Choices, canary: int) -> None:
        self._choices = choices
        self._canary = canary
        self.arenas: list[Arena] = []
        self.gradients = choices.of((NONE, NONE, LEAF, COPY))

    def made(self, value: Any) -> Any:
        """An argument, changed or as it was."""
        if isinstance(value, Feed):
            return self.array(value.values) if value.is_array else value.specified(self._tensor(value.values))
        if type(value) in (tuple, list):
            return self._several(value)
        if isinstance(value, dict):
            return {name: self.made(each) for name, each in value.items()}
        if type(value) in (int, float) and self._choices.number(3) == 1:
            return self._number(value)
        if type(value) is bool and self._choices.number(4) == 1:
            return not value
        if isinstance(value, torch.dtype) and self._choices.number(4) == 1:
            return NoType if self._choices.number(4) == 1 else getattr(torch, self._choices.of(DTYPES))
        if isinstance(value, bytearray):
            return bytearray(value)
        if type(value) is str and value in MODES:
            return self._choices.of(MODES)
        return value

    def _number(self, value: float) -> Any:
        kind = self._choices.number(8)
        if isinstance(value, float) and kind < 6:
            return self._choices.of(FLOATS)
        if kind == 7:
            return Fickle(int(self._choices.of(SMALL)), int(self._choices.of(SMALL + HUGE)))
        if kind == 6:
            return torch.tensor(self._choices.of(SMALL))
        return self._choices.of(SMALL if kind < 3 else HUGE)

    def _several(self, value: Any) -> Any:
        made = [self.made(each) for each in value]
        kind = self._choices.number(24)
        if kind == 1:
            made = made[:-1]
        elif kind == 2 and made:
            made.append(made[-1])
        elif kind == 3 and made and all(type(each) is int for each in made):
            return FickleSizes(made, [self._choices.of(SMALL + HUGE) for _ in made])
        return type(value)(made)

    def array(self, values: Any) -> Any:
        """An array as a snippet has it."""
        return to_snippet(self._arena(values, ARRAY_LAYOUTS).array)

    def _arena(self, values: Any, layouts: tuple[str, ...]) -> Arena:
        if self._choices.number(3) == 1:
            values = self._other_values(values)
        if self._choices.number(12) == 1:
            values = self._other_shape(values)
        if self._choices.number(12) == 1:
            name = self._choices.of(DTYPES)
            values = values.astype(_numpy("float16" if name == "bfloat16" and layouts is ARRAY_LAYOUTS else name))
        arena = Arena(values, self._choices.of(layouts), self._canary)
        self.arenas.append(arena)
        return arena

    def _tensor(self, values: Any) -> Tensor:
        arena = self._arena(values, LAYOUTS)
        return tracked(arena.tensor, NONE if self._choices.number(4) == 1 else self.gradients)

    def _other_values(self, values: Any) -> Any:
        made = values.copy()
        for _ in range(1 + self._choices.number(3)):
            if not made.size:
                break
            at = self._choices.number(made.size)
            if made.dtype.kind in "iu":
                limits = np.iinfo(made.dtype)
                made.flat[at] = min(max(self._choices.of(SMALL + HUGE), limits.min), limits.max)
            elif made.dtype.kind != "b":
                made.flat[at] = self._choices.of(FLOATS)
        return made

    def _other_shape(self, values: Any) -> Any:
        kind = self._choices.number(6)
        if kind == 0:
            return values[:0] if values.ndim else values
        if kind == 1:
            return values[None]
        if kind == 2:
            return values[..., :0] if values.ndim else values
        if kind == 3:
            return values.reshape(-1)
        if kind == 4:
            return values.reshape(-1)[:1].reshape(()) if values.size else values
        return np.concatenate([values, values]) if values.ndim else values


def _numpy(name: str) -> Any:
    return getattr(torch, name).np
