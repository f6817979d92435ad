"""The values of PyTorch's tensors as a recording keeps them: whole, as a summary that is computed on the tensor's own
device, or not at all. What is read is always copied: PyTorch can't resize memory that NumPy looks at."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar, cast

import ml_dtypes
import numpy as np
import torch
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import _disable_current_modes

from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.values import DTYPES, WHOLE, Summary, edge_indices, numpy_dtype

F = TypeVar("F", bound=Callable[..., Any])
_COMPILER = "torch._dynamo"
_callback = getattr(torch._C._dynamo.eval_frame, "get_eval_frame_callback", None)  # since 2.6; None: nothing compiles
FULL, SUMMARY, NONE = "full", "summary", "none"
POLICIES = (NONE, SUMMARY, FULL)
FEW = 64  # elements that a summary keeps whole
LATER = 4_096  # up to so many elements, the summaries of many tensors are made together when a batch is written
MOST_KNOWN = 1_000  # summaries that are cached

_NUMPY = {getattr(torch, name): numpy_dtype(name) for name in DTYPES}
_PLAIN = (torch.Tensor, torch.nn.Parameter)
SPARSE = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


class Values:
    """Writes values. Within `quietly` nothing is recorded."""

    def __init__(self, writer: Writer, policy: str, quietly: AbstractContextManager[None]) -> None:
        self._writer = writer
        self._quietly = quietly
        self._known = _KnownSummaries()
        self._raw: dict[int, tuple[int, int | None]] = {}  # memory not written to yet: weak reference, version if known
        self.policy = policy

    def __call__(self, x: Any) -> int:
        """The number of the tensor's present value, -1 for None. Where a transform of `torch.func` has
        wrapped the tensor it is that of the one inside, with the whole batch. One that can't be read (fake, quantised,
        of an unknown type) is a value of which nothing was kept."""
        if x is None:
            return -1
        if self.policy == NONE or (self._raw and self._is_raw(x)):
            return self.unkept(x)
        try:
            if (found := _in_one_piece(x)) is not None:
                dtype, shape, data, numel = found
                return self._writer.copied(dtype, shape, data, whole=numel <= FEW or self.policy == FULL)
            if (view := _memory(x)) is not None:
                return self._plain(x, view)
            with self._quietly, torch.no_grad(), _disable_current_modes():
                return self._value(x.detach())
        except (RuntimeError, NotImplementedError, TypeError):
            inside = _inside(x)
            return self.unkept(x) if inside is None else self(inside)

    def allocated(self, storage: Any, version: int | None = None) -> None:
        """Memory is new, and its elements are whatever was there before: they are not kept until something is written,
        which the version of its tensors tells if it is given, and `forget`."""
        memory = int(storage._cdata)
        self._let_go(memory)
        self._raw[memory] = storage._weak_ref(), version

    def _is_raw(self, x: Any) -> bool:
        memory = memory_of(x)
        return memory in self._raw and self._raw[memory][1] in (None, version_of(x))

    def forget(self, memory: int | None = None) -> None:
        """This memory, or any, may have changed without a new version."""
        self._known.forget(memory)
        for each in [*self._raw] if memory is None else [memory]:
            self._let_go(each)

    def _let_go(self, memory: int) -> None:
        if memory in self._raw:
            torch.UntypedStorage._free_weak_ref(self._raw.pop(memory)[0])

    def unkept(self, x: Any) -> int:
        """A value of which only shape and type are kept: `x` is a tensor, or what a node knows of its result."""
        other = "float32" if x.dtype.is_floating_point else "int64"
        return self._writer.unkept(sizes_of(x), _NUMPY[x.dtype].name if x.dtype in _NUMPY else other)

    def _plain(self, x: Any, view: np.ndarray[Any, Any]) -> int:
        """The value of a tensor in plain memory, which `view` shows."""
        size = view.size
        if size <= (WHOLE if self.policy == FULL else FEW):
            return self._writer.value(view)
        if size <= LATER:
            return self._writer.value(view, whole=False)
        found = self._known.get(x)
        if found is None:
            with torch.no_grad(), torch._C._DisableTorchDispatch():
                found = _summary(x)
            self._known.add(x, found)
        return self._writer.summarised(view.shape, view[_edge_places(view.shape)], found)

    def _value(self, x: Any) -> int:
        if hasattr(x, "to_local"):
            x = x.to_local()
        if x.layout in SPARSE and x.numel() <= WHOLE:
            x = x.to_dense()
        if x.layout is not torch.strided or x.device.type == "meta" or x.dtype not in _NUMPY:
            return self.unkept(x)
        if x.numel() > (WHOLE if self.policy == FULL else FEW):
            edges, found = _edges(x), _summary(x)
            return self._writer.summarised(tuple(x.shape), _array(edges), found)
        return self._writer.value(_array(x))


class _KnownSummaries:
    """Summaries by memory and version: a transposed weight, or a gradient on its way to its leaf, is not read again. A
    weak reference does not keep the memory alive, and prevents its number from being reused for another one."""

    def __init__(self) -> None:
        self._by_memory: dict[int, tuple[int, int, Summary]] = {}  # weak reference, version

    def get(self, x: Any) -> Summary | None:
        """The summary of a tensor, if it has not changed."""
        _, version, summary = self._by_memory.get(memory_of(x), _UNKNOWN)
        return summary if version == version_of(x) and _fills_memory(x) else None

    def add(self, x: Any, summary: Summary) -> None:
        """Cache a summary."""
        if not x.is_inference() and _fills_memory(x):
            if len(self._by_memory) >= MOST_KNOWN:
                self.forget()
            memory = memory_of(x)
            old = self._by_memory.get(memory)
            reference = x.untyped_storage()._weak_ref() if old is None else old[0]
            self._by_memory[memory] = (reference, version_of(x), summary)

    def forget(self, memory: int | None = None) -> None:
        """This memory, or any, may have changed without a new version."""
        known = self._by_memory
        for each in [*known] if memory is None else [memory] if memory in known else []:
            torch.UntypedStorage._free_weak_ref(known.pop(each)[0])


_UNKNOWN: tuple[int, int, Any] = (0, -1, None)


def overlap(a: Any, b: Any) -> bool:
    """Whether two tensors in the same memory may have elements in common, all of which are there: FSDP frees memory
    that tensors still look at."""
    (first, last), (start, end) = _extent(a), _extent(b)
    return first < end and start < last <= a.untyped_storage().nbytes()


def _extent(x: Any) -> tuple[int, int]:
    """The bytes of its memory between which a tensor has its elements."""
    if not x.numel():
        return 0, 0
    reach = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True))
    first = x.storage_offset() * x.itemsize
    return first, first + (reach + 1) * x.itemsize


def _fills_memory(x: Any) -> bool:
    """Whether the elements are those of its memory, each once, in any order."""
    if x.numel() * x.itemsize != x.untyped_storage().nbytes():
        return False
    expected = 1
    for stride, size in sorted(zip(x.stride(), x.shape, strict=True)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _inside(x: Any) -> Any:
    """The tensor that a transform has wrapped, None if it is none of them: first those of `torch.func`, then those of
    `is_grads_batched`."""
    if torch._C._functorch.is_functorch_wrapped_tensor(x):
        return torch._C._functorch.get_unwrapped(x)
    level = torch._C._vmapmode_increment_nesting() - 1
    torch._C._vmapmode_decrement_nesting()
    if not level or ", Batched" not in str(torch._C._dispatch_keys(x)):
        return None
    with torch.no_grad(), _disable_current_modes():
        return torch._remove_batch_dim(x, level, 1, 0)


def _in_one_piece(x: Any) -> tuple[np.dtype[Any], tuple[int, ...], bytes, int] | None:
    """Type, shape, a copy of the elements, and their number, of a tensor that is not large and lies in plain memory,
    one element after the other."""
    if type(x) not in _PLAIN or not x.is_cpu or x.layout is not torch.strided:
        return None
    dtype, numel = _NUMPY.get(x.dtype), x.numel()
    if dtype is None or not 0 < numel <= LATER or not x.is_contiguous() or x.is_neg():
        return None
    size = numel * dtype.itemsize
    if dtype.kind == "c" and x.is_conj():
        return None
    if x.storage_offset() * dtype.itemsize + size > x.untyped_storage().nbytes():
        return None
    return dtype, x.shape, _buffer(size).from_address(x.data_ptr()).raw, numel


@functools.cache
def _buffer(size: int) -> Any:
    """The type of so many bytes anywhere."""
    return ctypes.c_char * size


def _memory(x: Any) -> np.ndarray[Any, Any] | None:
    """The elements as NumPy sees them in place, for one look: PyTorch does not know of it, so it may still resize the
    memory. None if they are not in plain memory."""
    if type(x) not in _PLAIN or x.device.type != "cpu" or x.layout is not torch.strided:
        return None
    dtype = _NUMPY.get(x.dtype)
    if dtype is None or not x.numel() or x.is_conj() or x.is_neg():
        return None
    shape, strides = tuple(x.shape), x.stride()
    last = sum([(size - 1) * stride for size, stride in zip(shape, strides, strict=True)])
    storage = x.untyped_storage()
    if (x.storage_offset() + last + 1) * dtype.itemsize > storage.nbytes():
        return None
    buffer = (ctypes.c_char * ((last + 1) * dtype.itemsize)).from_address(x.data_ptr())
    return np.ndarray(shape, dtype, buffer, 0, [dtype.itemsize * stride for stride in strides])


@functools.lru_cache(1_000)
def _edge_places(shape: tuple[int, ...]) -> Any:
    return np.ix_(*map(edge_indices, shape))


def _summary(x: Any) -> Summary:
    """The summary of a tensor that is not kept, with a single transfer from its device. What an expanded tensor repeats
    is read once: it may have more elements than any memory."""
    times = 1
    for dim, (size, stride) in enumerate(zip(x.shape, x.stride(), strict=True)):
        if not stride and size > 1:
            x, times = x.narrow(dim, 0, 1), times * size
    found = _summary_once(x)
    return replace(found, norm=found.norm * times**0.5, nans=found.nans * times) if times > 1 else found


def _summary_once(x: Any) -> Summary:
    real = (x.abs() if x.is_complex() else x).to(torch.float32 if x.dtype is not torch.float64 else torch.float64)
    is_plain = real.is_contiguous()  # aminmax takes ten times as long for a transposed matrix
    low, high = torch.aminmax(real) if is_plain else (real.amin(), real.amax())
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
    """A NumPy copy of the elements."""
    x = x.resolve_conj().resolve_neg().to("cpu", copy=True).contiguous()
    if x.dtype is torch.bfloat16:
        return x.view(torch.int16).numpy().view(ml_dtypes.bfloat16)  # type: ignore[no-any-return]
    return x.numpy()  # type: ignore[no-any-return]


def not_compiled(function: F) -> F:
    """A function that PyTorch's compiler runs as it is: otherwise it would compile the recorder. The compiler, which
    takes seconds to import, is not asked before the job imports it, nor where no compiled function runs."""
    untouched = torch._disable_dynamo(function)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if _COMPILER not in sys.modules or (_callback is not None and _callback() is None):
            return function(*args, **kwargs)
        return untouched(*args, **kwargs)

    return cast(F, run)


def sizes_of(x: Any) -> tuple[int, ...]:
    """The shape; 0 if there is no single size, as in a nested tensor; () before there is one."""
    if is_lazy(x):
        return ()
    try:
        return tuple(int(size) for size in x.shape)
    except (AttributeError, RuntimeError):  # the latter before 2.6
        return tuple(size if type(size) is int else 0 for size in x.shape)


def storage_of(x: Any) -> Any:
    """The memory of a tensor; None if it has none of its own."""
    try:
        return x.untyped_storage() if x is not None and x.layout is torch.strided else None
    except (NotImplementedError, RuntimeError):
        return None


def memory_of(x: Any) -> int:
    """Identifies the memory of a tensor; -1 if it has none of its own."""
    try:
        return int(x.untyped_storage()._cdata) if x is not None and x.layout is torch.strided else -1
    except (NotImplementedError, RuntimeError):
        return -1


def version_of(x: Any) -> int:
    """How often the memory of a tensor was written to."""
    if x is None:
        return 0
    try:
        return int(x._version)
    except RuntimeError:  # made in inference mode
        return 0


def is_leaf(x: Any) -> bool:
    """Whether no node made a tensor; see `grad_fn_of`."""
    try:
        return bool(x.is_leaf)
    except RuntimeError:
        return False


def grad_fn_of(x: Any) -> Any:
    """The node that made a tensor. Asking a view whose base was written to makes a new node, or raises an error."""
    try:
        return x.grad_fn
    except RuntimeError:
        return None
