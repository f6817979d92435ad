"""The values of PyTorch's tensors as a recording keeps them: whole, as a summary that is made on the tensor's own
device, or not at all. What is read is always a copy: of memory that NumPy looks at, PyTorch can't change the size."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import ml_dtypes
import numpy as np
import torch
from torch.utils._python_dispatch import _disable_current_modes

from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.values import DTYPES, WHOLE, Summary, edge_indices

F = TypeVar("F", bound=Callable[..., Any])
_COMPILER = "torch._dynamo"
FULL, SUMMARY, NONE = "full", "summary", "none"
POLICIES = (NONE, SUMMARY, FULL)
FEW = 64  # elements that a summary keeps whole


class Values:
    """Writes values. `quietly` runs something of which nothing is recorded."""

    def __init__(self, writer: Writer, policy: str, quietly: Callable[[], Any]) -> None:
        self._writer = writer
        self._quietly = quietly
        self.policy = policy

    def __call__(self, x: Any) -> int:
        """The number of the value that a tensor has now, -1 for None. Of one that can't be read (fake, batched,
        quantised, of a type that is not known) it is one of which nothing was kept."""
        if x is None:
            return -1
        try:
            with self._quietly(), torch.no_grad(), _disable_current_modes():
                return self._value(x.detach())
        except (RuntimeError, NotImplementedError, TypeError):
            return self.unkept(x)

    def unkept(self, x: Any) -> int:
        """A value of which only shape and type are kept: `x` is a tensor, or what a node knows of its result."""
        name = str(x.dtype).removeprefix("torch.")
        known = name if name in DTYPES else "float32" if x.dtype.is_floating_point else "int64"
        return self._writer.unkept([int(size) for size in x.shape], known)

    def _value(self, x: Any) -> int:
        if hasattr(x, "to_local"):
            x = x.to_local()
        name = str(x.dtype).removeprefix("torch.")
        if x.layout is not torch.strided or x.device.type == "meta" or name not in DTYPES or self.policy == NONE:
            return self.unkept(x)
        if x.numel() > (WHOLE if self.policy == FULL else FEW):
            edges, found = _edges(x), _summary(x)
            return self._writer.summarised(tuple(x.shape), _array(edges), found)
        return self._writer.value(_array(x))


def _summary(x: Any) -> Summary:
    """What is known of a tensor that is not kept, by one transfer from its device."""
    real = (x.abs() if x.is_complex() else x).to(torch.float32 if x.dtype is not torch.float64 else torch.float64)
    low, high = torch.aminmax(real)
    found = torch.stack([low, high, real.mean(), torch.linalg.vector_norm(real), torch.isnan(low).to(real.dtype)])
    least, most, mean, norm, has_nan = found.tolist()
    nans = int(torch.isnan(real).sum()) if has_nan else 0
    if not nans:
        return Summary(least, most, mean, norm, 0)
    kept = real[~torch.isnan(real)]
    if not kept.numel():
        return Summary(float("nan"), float("nan"), float("nan"), norm, nans)
    return Summary(float(kept.amin()), float(kept.amax()), float(kept.mean()), norm, nans)


def _edges(x: Any) -> Any:
    for dim, size in enumerate(x.shape):
        kept = edge_indices(size)
        if len(kept) < size:
            x = x.index_select(dim, torch.tensor(kept, device=x.device))
    return x


def _array(x: Any) -> np.ndarray[Any, Any]:
    """A copy of the elements as NumPy has them."""
    x = x.resolve_conj().resolve_neg().to("cpu", copy=True).contiguous()
    if x.dtype is torch.bfloat16:
        return x.view(torch.int16).numpy().view(ml_dtypes.bfloat16)  # type: ignore[no-any-return]
    return x.numpy()  # type: ignore[no-any-return]


def not_compiled(function: F) -> F:
    """A function that PyTorch's compiler runs as it is: else it would compile the recorder. The compiler, which takes
    seconds to import, is not asked before the job does."""
    untouched = torch._disable_dynamo(function)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return (untouched if _COMPILER in sys.modules else function)(*args, **kwargs)

    return cast(F, run)


def memory_of(x: Any) -> int:
    """What identifies the memory of a tensor; -1 where it has none of its own."""
    try:
        return int(x.untyped_storage()._cdata) if x is not None and x.layout is torch.strided else -1
    except (NotImplementedError, RuntimeError):
        return -1


def version_of(x: Any) -> int:
    """How often the memory of a tensor was written."""
    return 0 if x is None or x.is_inference() else int(x._version)


def grad_fn_of(x: Any) -> Any:
    """The node that made a tensor. Asking a view whose base was written to makes a new node, or an error."""
    try:
        return x.grad_fn
    except RuntimeError:
        return None
