"""The options that all factories have in PyTorch: `device`, `dtype` (also as a Python type), `layout`, `pin_memory`,
`memory_format`, `out`. They mean the same for all, so they are handled in one place before the functions of
`creation.py` and `draw.py` get the arguments."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.devices import is_meta
from gradviz.engine.kernel.memory import STRIDED, check_rank, laid
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops import creation, ranges
from gradviz.engine.ops.draw import randint, source_of
from gradviz.engine.run.api import FUNCTIONS, give, in_torch_words
from gradviz.engine.run.apply import is_sparse
from gradviz.engine.run.arguments import refuse_tracked_out
from gradviz.engine.run.signatures import refusal

_ready = (creation, randint, ranges)

_LIKE = "zeros_like ones_like empty_like full_like rand_like randn_like randint_like".split()
_SIZED = """zeros ones empty full arange range linspace logspace eye rand randn randint randperm normal tensor
scalar_tensor tril_indices triu_indices""".split()

# What they refuse is refused before memory is asked for.
_CHECKED_BEFORE = frozenset("zeros ones empty tensor scalar_tensor linspace logspace tril_indices triu_indices".split())
_OUT_OF_STEP = (
    "The number of elements in the out tensor of shape {0} is {1} which does not match the computed number of elements "
    "{2}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
    "({2},)."
)


def _dtype(name: str, given: object) -> dtypes.dtype | None:
    if (kind := dtypes.meant(given)) is None or isinstance(kind, dtypes.dtype):
        return kind
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(given).__name__}")


def _laid_out(made: Tensor, memory_format: object) -> Tensor:
    if memory_format is not None and str(memory_format) not in ("torch.contiguous_format", "torch.preserve_format"):
        check_rank(made.ndim, str(memory_format))
        made._data = laid(made._data, memory_format)
    return made


def _with_options(name: str, formats: bool) -> None:
    inner = FUNCTIONS[name]
    follows = name in _LIKE
    known = inspect.signature(inner, follow_wrapped=False).parameters

    def placed(*args: object, **options: object) -> Tensor:
        place = options.get("device")
        if place is not None:
            creation.check_device(place)
        if place is None and follows and args and isinstance(args[0], Tensor):
            on_meta = args[0]._on_meta
        else:
            on_meta = is_meta(place)
        if not on_meta:
            return call(*args, **options)
        random = source_of(None)
        before = random.state_bytes()
        with layers.without_numbers():
            made = call(*args, **{**options, "device": "meta"})
        random.load_bytes(before)  # no numbers are drawn
        return made

    def call(*args: Any, **options: Any) -> Tensor:
        if state.sparse is not None and follows and not options.get("layout") and is_sparse(args[:1]):
            return state.sparse.alike(args[0], inner(*args, **options), name)  # type: ignore[no-any-return]
        if not options:
            if not args:
                raise refusal(f"torch.{name}", args, options) or TypeError(f"{name}() needs an argument")
            return inner(*args)
        if "dtype" in options:
            options["dtype"] = _dtype(name, options["dtype"])
        layout = options.pop("layout", None)
        if layout is not None and layout != STRIDED:
            raise RuntimeError(f"{name}() with layout={layout} is not in GradViz: tensors are dense; leave layout out")
        if options.pop("pin_memory", False) and options.get("out") is None:
            if name in _CHECKED_BEFORE:
                with suppress(NotImplementedError):
                    call(*args, **options)
            raise RuntimeError(creation.NOT_PINNED)
        if "memory_format" in options and not formats:
            raise TypeError(f"{name}() got an unexpected keyword argument 'memory_format'")
        if name == "empty" and "memory_format" in options:
            return _laid_out(inner(*args, **options), options["memory_format"])
        out = options.pop("out", None) if "out" not in known else None
        if name in ("tril_indices", "triu_indices") and "requires_grad" in options:
            tracked = options.pop("requires_grad")
            found = inner(*args, **options)
            if tracked:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            return found
        if out is None:
            return inner(*args, **options)
        refuse_tracked_out(name, (), out)
        is_of_tensors = name == "normal" and any(isinstance(each, Tensor) for each in args)  # takes no type
        if options.get("dtype") is None and not is_of_tensors:
            options["dtype"] = out.dtype
        tracked = options.pop("requires_grad", False)
        made = inner(*args, **options)
        if name == "arange" and out._data.size not in (0, made._data.size):
            size, count = list(out._data.shape), made._data.size
            warnings.warn(_OUT_OF_STEP.format(size, out._data.size, count), UserWarning, stacklevel=4)
        given = give(out, made, warned=False)
        if tracked and out.dtype.rank < 2:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return given.requires_grad_() if tracked else given

    functools.update_wrapper(placed, inner)
    placed.__name__ = placed.__qualname__ = name
    del placed.__wrapped__  # type: ignore[attr-defined]
    FUNCTIONS[name] = in_torch_words(placed, f"torch.{name}")


def install() -> Callable[..., object]:
    """Wrap all factories, once."""
    for name in _LIKE:
        _with_options(name, True)
    for name in _SIZED:
        if name in FUNCTIONS:
            _with_options(name, name == "empty")
    return FUNCTIONS["zeros"]


installed = install()
