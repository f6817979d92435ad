"""`import einops` for a snippet: the real package, on the engine's tensors.

It is pure Python and looks for PyTorch when it first meets a tensor; here it finds `gradviz.torch`. A snippet gets none
of its objects except errors: each function is called with plain texts and integers, arrays go through `numpy_boundary`,
and the layers are GradViz's own classes over the same functions. Next: `numpy_boundary`."""

from __future__ import annotations

import functools
import operator
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradviz.engine.kernel.state import on_new_run
from gradviz.engine.kernel.tensor import Tensor
from gradviz.torch.nn.modules.module import Module
from gradviz.worker.language.stand_in import stand_in
from gradviz.worker.objects.numpy_boundary import to_numpy, to_snippet


@functools.cache
def _einops() -> types.ModuleType:
    """Return the package, after it has found its backends for tensors and arrays: nothing can be imported once the
    worker is locked."""
    from gradviz import torch

    with _as_torch(torch), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it registers with PyTorch's compiler, which does not exist here
        import einops

        for one in (torch.zeros(2, 1), np.zeros((2, 1))):
            einops.rearrange(one, "a b -> b a")
            einops.einsum(one, one, "a b, a c -> b c")
        for each in vars(einops.einops).values():
            if hasattr(each, "cache_clear"):  # its keys hold what a snippet reduces with
                on_new_run(each.cache_clear)
        return einops


@contextmanager
def _as_torch(module: types.ModuleType) -> Iterator[None]:
    """Imports in the meantime find GradViz's torch, and no compiler."""
    instead: dict[str, Any] = {"torch": module, "torch._dynamo": None}
    before = {name: sys.modules[name] for name in instead if name in sys.modules}
    sys.modules.update(instead)
    try:
        yield
    finally:
        for name in instead:
            del sys.modules[name]
        sys.modules.update(before)


def _entering(value: object) -> object:
    """Convert a tensor or a stand-in of an array, or a list of either, to what einops works on."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, list | tuple) and any(isinstance(each, Tensor) for each in tuple(value)):
        return [each if isinstance(each, Tensor) else to_numpy(each) for each in tuple(value)]
    return to_numpy(value)


def _leaving(value: Any) -> object:
    if isinstance(value, Tensor):
        return value
    if type(value) in (list, tuple):
        return type(value)([_leaving(each) for each in value])
    return to_snippet(value)


def _lengths(axes: dict[str, Any]) -> dict[str, int]:
    return {str.__str__(name): int.__int__(operator.index(length)) for name, length in axes.items()}


def _reduction(given: object) -> object:
    """Return the name of a reduction, or a function of the snippet that gets no arrays of NumPy's own."""
    if isinstance(given, str):
        return str.__str__(given)
    if not callable(given):
        raise TypeError(f"a reduction is a name or a function, not '{type(given).__name__}'")
    return lambda x, axes: _entering(given(_leaving(x), axes))


def rearrange(tensor: object, pattern: object, **axes_lengths: object) -> object:
    """Rearrange axes."""
    return _leaving(_einops().rearrange(_entering(tensor), str.__str__(pattern), **_lengths(axes_lengths)))


def repeat(tensor: object, pattern: object, **axes_lengths: object) -> Any:
    """Repeat elements along axes."""
    return _leaving(_einops().repeat(_entering(tensor), str.__str__(pattern), **_lengths(axes_lengths)))


def reduce(tensor: object, pattern: object, reduction: object, **axes_lengths: object) -> object:
    """Reduce over axes."""
    how = _reduction(reduction)
    return _leaving(_einops().reduce(_entering(tensor), str.__str__(pattern), how, **_lengths(axes_lengths)))


def einsum(*tensors_and_pattern: object) -> object:
    """Sum products over named axes."""
    *tensors, pattern = tensors_and_pattern
    if not isinstance(pattern, str):
        raise ValueError(
            "The last argument passed to `einops.einsum` must be a string, representing the einsum pattern."
        )
    return _leaving(_einops().einsum(*map(_entering, tensors), str.__str__(pattern)))


def pack(tensors: Any, pattern: Any) -> object:
    """Pack several tensors into one; also return their shapes."""
    packed, shapes = _einops().pack([_entering(each) for each in tensors], str.__str__(pattern))
    return _leaving(packed), shapes


def unpack(tensor: object, packed_shapes: Any, pattern: object) -> object:
    """Undo `pack`."""
    shapes = [tuple(operator.index(size) for size in shape) for shape in packed_shapes]
    return _leaving(_einops().unpack(_entering(tensor), shapes, str.__str__(pattern)))


def parse_shape(x: object, pattern: object) -> dict[str, int]:
    """Return the lengths of the named axes."""
    return dict(_einops().parse_shape(_entering(x), str.__str__(pattern)))


def asnumpy(tensor: object) -> object:
    """Return a tensor as an array."""
    return to_snippet(to_numpy(tensor))


class Rearrange(Module):
    """`rearrange` as a layer."""

    def __init__(self, pattern: object, **axes_lengths: object) -> None:
        super().__init__()
        self.pattern = str.__str__(pattern)
        self.axes_lengths = _lengths(axes_lengths)
        _check(self, "rearrange")

    def forward(self, input: Any) -> object:
        """Rearrange axes."""
        return rearrange(input, self.pattern, **self.axes_lengths)

    def __repr__(self) -> str:
        return _shown(self, repr(self.pattern))


class Reduce(Module):
    """`reduce` as a layer."""

    def __init__(self, pattern: object, reduction: object, **axes_lengths: object) -> None:
        super().__init__()
        self.pattern, self.reduction = str.__str__(pattern), str.__str__(reduction)
        self.axes_lengths = _lengths(axes_lengths)
        _check(self, self.reduction)

    def forward(self, input: Any) -> object:
        """Reduce over axes."""
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)

    def __repr__(self) -> str:
        return _shown(self, f"{self.pattern!r}, {self.reduction!r}")


def _check(layer: Rearrange | Reduce, operation: str) -> None:
    """Raise einops' own error for an invalid pattern, as its layers do when they are created."""
    from einops import einops as inside

    try:
        inside._prepare_recipes_for_all_dims(layer.pattern, operation, tuple(layer.axes_lengths))
    except _einops().EinopsError as error:
        raise _einops().EinopsError(f" Error while preparing {layer!r}\n {error}") from None


def _shown(layer: Rearrange | Reduce, words: str) -> str:
    lengths = "".join(f", {axis}={length}" for axis, length in layer.axes_lengths.items())
    return f"{type(layer).__name__}({words}{lengths})"


Rearrange.__module__ = Reduce.__module__ = "einops.layers.torch"
_FUNCTIONS: tuple[Callable[..., object], ...] = (rearrange, repeat, reduce, einsum, pack, unpack, parse_shape, asnumpy)


def einops_modules() -> dict[str, object]:
    """Return the stand-ins by module name; none if the package is not installed."""
    try:
        package: types.ModuleType = _einops()
    except ImportError:
        return {}
    layers = stand_in("einops.layers.torch", {"Rearrange": Rearrange, "Reduce": Reduce})
    inner = stand_in("einops.layers", {"torch": layers})
    names: dict[str, object] = {function.__name__: function for function in _FUNCTIONS}
    names |= {"EinopsError": package.EinopsError, "__version__": package.__version__, "layers": inner}
    every = {"einops": stand_in("einops", names), "einops.layers": inner, "einops.layers.torch": layers}
    return {**every, "einops.einops": stand_in("einops.einops", names)}
