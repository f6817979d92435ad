"""The public names of functions: what `torch.exp`, `x.exp()`, `x.exp_()` and `torch.nn.functional.relu` call. Functions
register here with `api`; `gradviz.torch` looks the names up. No mathematics; see `elementwise.py` for the families that
are made from rows alone."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from gradviz.engine.kernel.dtypes import OF_PYTHON, Array, dtype
from gradviz.engine.kernel.formula import TABLES
from gradviz.engine.kernel.memory import from_memory_order, in_memory_order, memory_of, resized
from gradviz.engine.kernel.messages import check_kind, dimension_error, exact_number
from gradviz.engine.kernel.modes import no_grad
from gradviz.engine.kernel.state import identity, state
from gradviz.engine.kernel.tensor import Size, Tensor, fixed
from gradviz.engine.run.arguments import (
    SIZED_FIRST,
    WITHOUT_GRADIENT,
    check_apart,
    check_out,
    check_out_type,
    refuse_tracked_out,
    return_type,
)
from gradviz.engine.run.autocast import casting
from gradviz.engine.run.overrides import (
    AS_THEY_ARE,
    WRITTEN_IN_PYTHON,
    Overridden,
    dispatched,
    is_met,
    plain,
    without_overrides,
)
from gradviz.engine.run.signatures import in_c, in_order, in_present_form, is_listed, refusal, type_name

F = TypeVar("F", bound=Callable[..., Any])

FUNCTIONS: dict[str, Callable[..., Tensor]] = {}  # torch.<name>
FUNCTIONAL: dict[str, Callable[..., Tensor]] = {}  # torch.nn.functional.<name>
LINALG: dict[str, Callable[..., Tensor]] = {}  # torch.linalg.<name>
SPECIAL: dict[str, Callable[..., Tensor]] = {}  # torch.special.<name>
FFT: dict[str, Callable[..., Tensor]] = {}  # torch.fft.<name>
WINDOWS: dict[str, Callable[..., Tensor]] = {}  # torch.signal.windows.<name>

UNSAID: Any = object()  # the default of a parameter for which None means something else than nothing
# the first parameters of functions that take `out=`
_TAKEN = frozenset("input tensors self condition mat1 A real abs elements a matrices LU LD ord y".split())
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0). (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/Resize.cpp:30.)"
)
TABLES += FUNCTIONS, FUNCTIONAL, SPECIAL, LINALG
_NAMESPACES = {"torch": FUNCTIONS, "F": FUNCTIONAL, "linalg": LINALG, "special": SPECIAL, "fft": FFT}
_PLACES = {"F": "nn.functional"}  # the other places are called by their own names
_PREFIXES = {"linalg": "linalg_", "special": "special_", "fft": "fft_"}  # their prefixes inside PyTorch


def api(*names: str, where: str = "torch method") -> Callable[[F], F]:
    """Register a function under each of `names` in each place of `where`: torch, method, F, linalg, special, fft."""

    def register(fn: F) -> F:
        offered = with_numpy_names(_checked(fn, names[0]))
        for place in where.split():
            for name in names:
                if place == "method":
                    found = casting(_as_method(offered, name), name)
                    setattr(Tensor, name, found if name.startswith("__") else in_torch_words(found, f"Tensor.{name}"))
                else:
                    full = _PREFIXES.get(place, "") + name
                    plain = place == "F" and name not in _WITH_OUT
                    own = called(offered if plain else with_out(fn, offered, name), full)
                    if place == "F" and name in _INSIDE:
                        own.__qualname__ = f"_{name}"  # which Python names where an argument is missing
                    found = casting(own, full)
                    _NAMESPACES[place][name] = in_torch_words(found, f"{_PLACES.get(place, place)}.{name}")
        return fn

    return register


# Functions of `torch.nn.functional` that take `out=`.
_WITH_OUT = frozenset("avg_pool2d avg_pool3d gelu hardshrink linear logsigmoid softplus softshrink".split())
# Functions of it with another one inside, which takes the arguments.
_INSIDE = frozenset(
    """max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
    fractional_max_pool2d fractional_max_pool3d threshold""".split()
)
# Functions that check element types by the table of messages before anything else.
_CHECKED = frozenset(
    """amax amin aminmax mode unique cummax cummin argmax argmin sort argsort msort nansum nanmean
    deg2rad rad2deg isneginf isposinf signbit positive hardtanh""".split()
)
# Those with a kernel that checks it, which is not reached by empty tensors and, for the second set, by tensors without
_BY_KERNEL = frozenset("amax amin aminmax mode cummax cummin".split())
_ALONG = frozenset("mode cummax cummin".split())


def _checked(fn: F, name: str) -> F:
    if name not in _CHECKED:
        return fn

    @functools.wraps(fn)
    def call(*args: object, **keywords: object) -> Any:
        first = args[0] if args else keywords.get("input")
        if isinstance(first, Tensor):
            reached = name not in _ALONG if not first._data.ndim else name not in _BY_KERNEL or first._data.size
            if reached:
                check_kind(name, first.dtype)
        return fn(*args, **keywords)

    return cast(F, call)


def called(fn: F, name: str) -> F:
    """The same function under its public name: snippets print `torch.sum.__name__`, and Python's errors mention it."""
    if not isinstance(fn, FunctionType) or fn.__qualname__ == name:
        return fn
    made = FunctionType(fn.__code__, fn.__globals__, name, fn.__defaults__, fn.__closure__)
    made.__qualname__ = name
    made.__kwdefaults__ = fn.__kwdefaults__
    functools.update_wrapper(made, fn, ("__module__", "__doc__", "__annotations__"))
    del made.__wrapped__  # type: ignore[attr-defined]
    return cast(F, made)


def _as_method(fn: F, name: str) -> F:
    """The same as a method: Python's errors mention the class of those that PyTorch has written in Python."""
    in_python = not is_listed(f"Tensor.{name}") or f"Tensor.{name}" in WRITTEN_IN_PYTHON
    if name.startswith("__") or not in_python or not isinstance(fn, FunctionType):
        return called(fn, name)
    made = called(fn, f"Tensor.{name}")
    made.__name__ = name
    return made


_TAKES_MORE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_worded: dict[Any, Any] = {}  # the function inside each
# Functions that accept more here: those written in Python there, and methods that work without any argument.
_ASKED_FIRST = frozenset(
    """nn.functional.pad nn.functional.leaky_relu nn.functional.elu Tensor.flip Tensor.tile torch.is_autocast_enabled
    torch.set_autocast_enabled torch.get_autocast_dtype torch.tile Tensor.resize_""".split()
)


# Products whose result may have a type of its own, elsewhere than on the CPU.
_OUT_DTYPE = frozenset({"torch.mm", "torch.bmm", "torch.addmm", "torch.baddbmm"})
_NO_KERNEL = (
    "Could not run '{0}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for "
    "this backend, or was omitted during the selective/custom build process (if using custom build). If you are a "
    "Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions. "
    "'{0}' is only available for these backends: [Meta, BackendSelect, Python, FuncTorchDynamicLayerBackMode, "
    "Functionalize, Conjugate, Negative, ZeroTensor, ADInplaceOrView, AutogradOther, AutogradCPU, AutogradCUDA, "
    "AutogradHIP, AutogradXLA, AutogradMPS, AutogradIPU, AutogradXPU, AutogradHPU, AutogradVE, AutogradLazy, "
    "AutogradMTIA, AutogradMAIA, AutogradPrivateUse1, AutogradPrivateUse2, AutogradPrivateUse3, AutogradMeta, "
    "AutogradNestedTensor, Tracer, AutocastCPU, AutocastMTIA, AutocastMAIA, AutocastXPU, AutocastMPS, AutocastCUDA, "
    "FuncTorchBatched, BatchedNestedTensor, FuncTorchVmapMode, Batched, VmapMode, FuncTorchGradWrapper, "
    "PythonTLSSnapshot, FuncTorchDynamicLayerFrontMode, PreDispatch, PythonDispatcher]."
)
_NO_WRITES = frozenset(
    """apply_ detach_ dropout_ fill_diagonal_ float_power_ logical_and_ logical_not_ logical_or_ logical_xor_ map_
    requires_grad_ resize_ resize_as_ rrelu_ set_ share_memory_""".split()
)


_READ = (Tensor, np.ndarray, np.generic, str, bytes, bytearray, dict, range)  # by their own classes
_STORED: Mapping[type, Callable[..., Iterator[object]]] = {each: each.__iter__ for each in (list, tuple, deque)}
_ITEMS = ("__iter__", "__getitem__", "__len__")
_DEEPEST = 128  # lists in lists
_OPERATORS = "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg abs"
_ACTING = ("__getitem__", *(f"__{name}__" for name in _OPERATORS.split()))


def exact_argument(value: Any, within: tuple[object, ...] = (), *, data: bool = False) -> object:
    """An argument as NumPy may read it: with exact numbers, and none of the caller's lists that hold more than
    numbers. NumPy reads lists and what they hold while code of these things may change them, which ends the process;
    so things of other classes that have items or operators, which may answer with such lists, are refused. Where
    PyTorch takes `data`, what has a length and items is read as a list of them."""
    kind = type(value)
    if kind in AS_THEY_ARE:
        return value
    if kind is list:
        value = value[:]  # the caller's may change at any time
    if (kind is list or kind is tuple) and AS_THEY_ARE.issuperset(map(type, value)):
        return value
    if isinstance(value, (list, tuple, deque)):
        own = list if isinstance(value, list) else tuple if isinstance(value, tuple) else deque
        held = [*_STORED[own](value)]  # as it is stored, whatever a class of the caller's says
        acts = kind is not Size and any(getattr(kind, name) is not getattr(own, name) for name in _ITEMS)
    elif is_met(kind):
        raise Overridden
    else:
        number = exact_number(value)
        if number is not value or isinstance(value, _READ) or not any(hasattr(kind, name) for name in _ACTING):
            return number
        if not data or not all(hasattr(kind, name) for name in _OF_SEQUENCES):
            raise TypeError(f"must be real number, not {kind.__name__}")
        own, held, acts = list, [value[at] for at in range(len(value))], True
    if not acts and AS_THEY_ARE.issuperset(map(type, held)):
        return value if own is tuple else held
    if len(within) == _DEEPEST or any(value is each for each in within):
        raise ValueError(f"too many dimensions '{kind.__name__}'")
    made = [exact_argument(each, (*within, value), data=data) for each in held]
    if own is not tuple:
        return made
    return value if not acts and all(a is b for a, b in zip(made, held, strict=True)) else tuple(made)


_exact_data = functools.partial(exact_argument, data=True)
_OF_SEQUENCES = ("__len__", "__getitem__")
_OF_ANYTHING = frozenset({"torch.is_tensor", "torch.typename"})  # they look at nothing but the class
_TAKE_DATA = frozenset({"torch.tensor", "torch.as_tensor", "Tensor.new_tensor"})


def overridden(
    public: Callable[..., object], key: str, args: Sequence[object], keywords: Mapping[str, object]
) -> object:
    """What a function does with arguments whose classes may say so; nothing said, they are tensors as any others."""
    named = getattr(Tensor, key[7:], public) if key.startswith("Tensor.") else public  # what a snippet calls it
    answer = dispatched(named, key, args, keywords)
    if answer is not NotImplemented:
        return answer
    with without_overrides(), plain((*args, *keywords.values())):
        return public(*args, **keywords)


def in_torch_words(fn: F, key: str) -> F:
    """The same function with PyTorch's own errors for arguments that it refuses before looking at their values, or that
    raised an error of any kind; `key` is the name of its signatures."""

    if not isinstance(fn, FunctionType):
        return fn  # a class
    code = fn.__code__
    if key in _OF_ANYTHING or not (code.co_argcount or code.co_kwonlyargcount or code.co_flags & _TAKES_MORE):
        return fn  # it has no signature
    always, typed = key in _ASKED_FIRST, key in _OUT_DTYPE
    writes = key[-1] == "_" != key[-2] and key.rpartition(".")[2] not in _NO_WRITES
    first = always or (not key.startswith("nn.functional.") and is_listed(key))
    exact = _exact_data if key in _TAKE_DATA else exact_argument
    fn = _worded.get(fn, fn)  # under its other name
    taken: set[tuple[Any, ...]] = set()  # accepted types of arguments; a class is neither kept nor asked

    def call(*args: object, **keywords: object) -> Any:
        if keywords and isinstance(kind := keywords.get("dtype"), type) and kind in OF_PYTHON:
            keywords["dtype"] = OF_PYTHON[kind]
        if typed and ("out_dtype" in keywords or any(isinstance(each, dtype) for each in args)):
            if refused := refusal(key, args, keywords):
                raise refused
            form = "dtype" if keywords.get("out") is None else "dtype_out"
            raise NotImplementedError(_NO_KERNEL.format(f"aten::{key[6:]}.{form}"))
        if first and (always or keywords or len(args) > 1):
            types: tuple[object, ...] = tuple(map(identity, map(type, args)))
            if keywords:
                types += (*keywords, *map(identity, map(type, keywords.values())))
            if types not in taken:
                if any(is_met(type(each)) for each in (*args, *keywords.values())):
                    return overridden(call, key, args, keywords)
                if refused := refusal(key, args, keywords):
                    raise refused
                if older := in_present_form(key, args, keywords):
                    return call(*older[1], **older[2])
                taken.add(types)
        try:
            if AS_THEY_ARE.issuperset(map(type, args)):
                if not keywords:
                    return fn(*args)
                if AS_THEY_ARE.issuperset(map(type, keywords.values())):
                    return fn(*args, **keywords)
            return fn(*map(exact, args), **{name: exact(each) for name, each in keywords.items()})
        except Overridden:
            again = None
        except Exception as error:
            if isinstance(error, AttributeError) and error.name == _ASKED_FOR.get(key, "size") and not first:
                raise  # a function written in Python, which asked for it
            another: Exception | None = refusal(key, args, keywords) or _no_tensor(error, key, args)
            another = another or _imaginary(error, key, args, keywords)
            another = another or _no_dimension(error, key, args, keywords)
            if another is None and not str(error).startswith("Output "):  # for views that can't be followed
                another = _unwritable(args, keywords) if writes else None
                another = another or _unfollowed((*args, *keywords.values()))
            if another is not None:
                raise another from None
            again = in_order(key, args, keywords) if isinstance(error, (TypeError, OverflowError)) else None
            if again is None:
                raise
        if again is None:
            return overridden(call, key, args, keywords)
        return fn(*map(exact, again[1]), **{name: exact(each) for name, each in again[2].items()})

    functools.update_wrapper(call, fn)
    del call.__wrapped__  # type: ignore[attr-defined]
    _worded[call] = fn
    return cast(F, call)


# What functions that are written in Python in PyTorch, too, ask an argument for before a kernel could refuse it.
_ASKED_FOR = {"nn.functional.embedding_bag": "dtype"}

# Functions that look for the dimension before they look at element types.
_DIMENSION_FIRST = frozenset("max min amax amin sort argsort nansum logcumsumexp gather mode cummax cummin".split())


def _no_dimension(
    error: Exception, key: str, args: Sequence[object], keywords: Mapping[str, object]
) -> IndexError | None:
    """The error for a dimension that does not exist, if that is what PyTorch finds first."""
    if isinstance(error, np.exceptions.AxisError) and error.axis is not None and error.ndim is not None:
        return dimension_error(error.axis, error.ndim)
    dim = keywords.get("dim", args[1] if len(args) > 1 else None)
    input = args[0] if args else keywords.get("input")
    if key.rpartition(".")[2] not in _DIMENSION_FIRST or type(dim) is not int or not isinstance(input, Tensor):
        return None
    ndim = input._data.ndim
    if "for scalar but got" in str(error):
        return None
    return None if -max(ndim, 1) <= dim < max(ndim, 1) else dimension_error(dim, ndim)


def _imaginary(
    error: Exception, key: str, args: Sequence[object], keywords: Mapping[str, object]
) -> RuntimeError | None:
    """A complex number where a real one is compared with others: PyTorch does not convert it."""
    given = any(isinstance(each, complex) for each in (*args, *keywords.values()))
    if not (given and in_c(key) and isinstance(error, TypeError)):
        return None
    if "not 'complex'" in str(error):  # it stands for an element
        first = next((each for each in args if isinstance(each, Tensor)), None)
        kind = "float" if first is None else first.dtype.cpp
        return RuntimeError(f"value cannot be converted to type {kind} without overflow")
    if "instances of" not in str(error):
        return None
    return RuntimeError("value cannot be converted to type double without overflow")


def _unwritable(args: Sequence[object], keywords: Mapping[str, object]) -> RuntimeError | None:
    """A method that writes checks its target before its operands: the error of that check, if any."""
    target = args[0] if args else None
    if not isinstance(target, Tensor):
        return None
    tracked = any(isinstance(each, Tensor) and each._requires_grad for each in (*args, *keywords.values()))
    try:
        target._check_writable(state.grad and tracked)
    except RuntimeError as refused:
        return refused
    return None


def _unfollowed(operands: Iterable[object]) -> RuntimeError | None:
    """Histories of operands are checked before anything is computed: the error for an operand whose history is not
    valid."""
    if not state.grad:
        return None
    for given in operands:
        for each in given if type(given) in (list, tuple) else (given,):  # type: ignore[attr-defined]
            if isinstance(each, Tensor) and each._base is not None and each.requires_grad:
                try:
                    each._sync_view()
                except RuntimeError as refused:
                    return refused
    return None


def _no_tensor(error: Exception, key: str, args: Sequence[object]) -> AttributeError | None:
    """A PyTorch function written in Python asks its arguments for `dim()`, whatever they are: the resulting error."""
    asked = "dtype" if key == "torch.norm" else "_data ndim"
    if not isinstance(error, AttributeError) or error.name not in asked.split() or isinstance(error.obj, Tensor):
        return None
    first = bool(args) and type(error.obj) is type(args[0])  # a list is handed on as a copy
    if not first and error.name != "_data":
        return None
    name = "layout" if key == "torch.norm" else "dim"
    return AttributeError(f"'{type_name(error.obj)}' object has no attribute '{name}'", name=name, obj=error.obj)


def _parameters(fn: Callable[..., object], unwrapped: bool = True) -> tuple[str, ...]:
    """The names of the parameters, as by `inspect.signature`, which would take a tenth of a worker's start."""
    inner = inspect.unwrap(fn, stop=_says_them) if unwrapped else fn
    if not isinstance(inner, FunctionType) or _says_them(inner):
        return tuple(inspect.signature(fn, follow_wrapped=unwrapped).parameters)
    code = inner.__code__
    starred = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + starred]


def _says_them(fn: Callable[..., object]) -> bool:
    return hasattr(fn, "__signature__")


def with_numpy_names(fn: F) -> F:
    """Accept NumPy's `axis` and `keepdims` wherever PyTorch has `dim` and `keepdim`."""
    known = _parameters(fn)
    takes_dim, takes_keepdim = "dim" in known and "axis" not in known, "keepdim" in known and "keepdims" not in known
    if not (takes_dim or takes_keepdim):
        return fn

    def call(*args: object, **keywords: object) -> Any:
        if keywords:
            if takes_dim and "axis" in keywords:
                keywords["dim"] = keywords.pop("axis")
            if takes_keepdim and "keepdims" in keywords:
                keywords["keepdim"] = keywords.pop("keepdims")
        return fn(*args, **keywords)

    functools.update_wrapper(call, fn)
    del call.__wrapped__  # type: ignore[attr-defined]
    return cast(F, call)


_LATER = (
    "not implemented for",
    "same dtype",
    "Tensors must have same number",
    "Sizes of tensors must match",
    "same number of dimensions as input tensor",
    "gather(): Expected dtype",
)
# Those that fill a list of tensors and return nothing, under the name in their errors.
_FILLED = {
    "split_copy": "split_copy_Tensor_out()",
    "split_with_sizes_copy": "split_with_sizes_copy_out",
    "unbind_copy": "unbind_copy_int_out",
}
_IN_TYPE_OF_OUT = frozenset({"sum", "prod", "cumsum", "cumprod", "nansum"})


def with_out(fn: F, offered: F, name: str) -> F:
    """`torch.<name>(..., out=x)`: the result goes into a given tensor, or into several."""
    if "out" in _parameters(fn, unwrapped=False) or not _TAKEN.intersection(_parameters(fn)):
        return offered

    def call(*args: object, out: Any = None, **keywords: object) -> Any:
        if out is None:
            return offered(*args, **keywords)
        if name in WITHOUT_GRADIENT and state.grad:
            with no_grad():
                return call(*args, out=out, **keywords)
        pairwise = "other" in keywords or (len(args) > 1 and isinstance(args[1], Tensor))
        checked = {"max": "maximum", "min": "minimum"}.get(name, name) if pairwise else name
        refuse_tracked_out(checked, list(_flat((*args, *keywords.values()))), out)
        if name in _IN_TYPE_OF_OUT and isinstance(out, Tensor) and keywords.get("dtype") is None:
            keywords["dtype"] = out.dtype  # computed in this type, not converted to it
        try:
            found = offered(*args, **keywords)
        except RuntimeError as error:  # `out` is looked at before a kernel is looked for, or operands are compared
            if any(words in str(error) for words in _LATER) and args:
                check_out_type(name, out[0] if isinstance(out, (tuple, list)) else out, _first(args).dtype)
            raise
        if not isinstance(out, (tuple, list)):
            if name == "nonzero" and isinstance(found, tuple):
                raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
            if name in _SIZED_BEFORE and out.dtype is not found.dtype:
                warn_resized(out, found._data)
            check_out(checked, out, found, whole=len(args) == 1 and not keywords)
            outgrown = sized(out, found._data) if name in SIZED_FIRST else None
            check_apart(name, out, args, outgrown)
            return _filled(out, found, outgrown) if name in SIZED_FIRST else give(out, found)
        if len(out) != len(found) and name in _FILLED:
            raise RuntimeError(f"{_FILLED[name]} expected an out= argument of size {len(found)}, got size {len(out)}")
        if len(out) != len(found):
            raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
        for at, (target, value) in enumerate(zip(out, found, strict=True)):
            try:
                check_out(name, target, value)
            except RuntimeError:
                for each, made in zip(out[:at], found, strict=False):
                    if name in _SIZED_ALONE:
                        warn_resized(each, made._data)
                raise
            check_apart(name, target, args)
        for target, value in zip(out, found, strict=True):
            give(target, value)
        if name in _FILLED:
            return None
        return return_type(f"{found.title}_out")(*out) if hasattr(found, "fields") else out

    functools.update_wrapper(call, fn)
    del call.__wrapped__  # type: ignore[attr-defined]
    return cast(F, call)


_SIZED_BEFORE = frozenset(
    """diag alias_copy as_strided_copy diagonal_copy expand_copy permute_copy select_copy slice_copy squeeze_copy t_copy
    transpose_copy unfold_copy unsqueeze_copy view_as_real_copy view_copy""".split()
)  # before types are compared
_SIZED_ALONE = frozenset("max min sort topk".split())  # one result before the next is looked at


def _first(given: Iterable[object]) -> Tensor:
    return next(each for each in _flat(given) if isinstance(each, Tensor))


def _flat(given: Iterable[object]) -> Iterator[object]:
    for each in given:
        yield from each if isinstance(each, (list, tuple)) else (each,)


def give(out: Tensor, value: Tensor, warned: bool = True) -> Tensor:
    """Put a result into `out`, which takes its shape."""
    return _filled(out, value, sized(out, value._data, stacklevel=4, warned=warned))


def _filled(out: Tensor, value: Tensor, outgrown: Array | None) -> Tensor:
    out.copy_(value)
    if outgrown is not None:  # in PyTorch memory grows in place: tensors that share it see the new values
        outgrown[...] = memory_of(out._data)[: outgrown.size]
    return out


def warn_resized(out: Tensor, like: Array, stacklevel: int = 3) -> None:
    """Warn that `out` takes the shape of a result, if it holds something of another shape."""
    if out._data.size and out._data.shape != like.shape:
        warnings.warn(RESIZED.format(list(out._data.shape), list(like.shape)), UserWarning, stacklevel=stacklevel + 1)


def sized(out: Tensor, like: Array, stacklevel: int = 3, warned: bool = True) -> Array | None:
    """Give `out` the shape and memory order of a result, from its first element on; PyTorch warns of that, but in
    factories. Returns its former memory, as bytes, if that has become too small."""
    former = out._data
    if former.shape == like.shape:
        return None
    if warned:
        warn_resized(out, like, stacklevel)
    in_rows = like.flags.c_contiguous or type(like) is not np.ndarray
    shape = like.shape if in_rows else in_memory_order(like, like).shape
    if type(former) is np.ndarray and former.flags.writeable:
        lies, outgrown = resized(former, shape)
    else:
        lies, outgrown = np.zeros(shape, former.dtype), None
    out._data = lies if in_rows else from_memory_order(lies, like)
    return outgrown


def method(*names: str) -> Callable[[F], F]:
    """Register a function as a method of tensors only."""
    return api(*names, where="method")


def alias(existing: str, *names: str, where: str = "torch method") -> None:
    """More names for what `torch.<existing>` calls."""
    api(*names, where=where)(FUNCTIONS[existing])


def prop(name: str) -> Callable[[Callable[[Tensor], Any]], Callable[[Tensor], Any]]:
    """Register a read-only property of tensors."""

    def register(fn: Callable[[Tensor], object]) -> Callable[[Tensor], Any]:
        setattr(Tensor, name, fixed(name, fn))
        return fn

    return register
