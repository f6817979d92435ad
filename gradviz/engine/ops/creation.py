"""Making tensors: from data that the user gives (numbers, nested sequences, arrays, tensors), in the type that PyTorch
would choose; filled; over existing memory (`asarray`, `frombuffer`, a tensor's memory read as another type); and the
legacy constructors (`torch.FloatTensor`). See `convert.py` for the opposite direction."""

from __future__ import annotations

import functools
import operator
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np

from gradviz.engine.kernel import dtypes, layers
from gradviz.engine.kernel.batched import alike
from gradviz.engine.kernel.devices import STANDING, choose, chosen, is_meta
from gradviz.engine.kernel.devices import device as Device
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.memory import check_room, laid_as, memory_of, start_of, without_elements
from gradviz.engine.kernel.messages import TO_SCALAR, check_value
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.state import state, warn_once
from gradviz.engine.kernel.tensor import Size, Tensor, wrap
from gradviz.engine.ops.elementwise import NUMBERS
from gradviz.engine.run.api import api, method
from gradviz.engine.run.apply import call
from gradviz.engine.run.arguments import kind_name
from gradviz.engine.run.signatures import listed, type_name

# --- data as one array ---


NOT_NUMPY = (
    "can't convert np.ndarray of type {}. The only supported types are: float64, float32, float16, complex64, "
    "complex128, "
    "int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
)


def infer_array(data: object, dtype: dtypes.dtype | None) -> Array:
    """An array of numbers, sequences, arrays or tensors, in the type that PyTorch would give it."""
    if isinstance(data, Tensor):
        return data._data.astype(data._data.dtype if dtype is None else dtype.np)
    if isinstance(data, (np.ndarray, np.generic)):
        return from_array(np.asarray(data), dtype)
    shape = _sizes(data)
    kinds: set[Any] = set()
    flat: list[Any] = []
    try:
        _store(data, 0, shape, kinds, flat)
    except (TypeError, ValueError, RuntimeError) as error:
        if dtype is None:
            _infer(data)  # PyTorch infers the type first, and refuses data that have none
        if dtype is None or isinstance(data, (str, bytes)) or not str(error).startswith(_UNKNOWN):
            raise
        kinds.add(None)
    if dtype is not None and None in kinds:
        raise TypeError(_no_number(dtype, next(_not_numbers(data, dtype))))
    if None in kinds:
        _infer(None)
    target = (
        dtype or functools.reduce(dtypes.promote, kinds, dtypes.bool_)
        if kinds
        else (dtype or dtypes.get_default_dtype())
    )
    for each in flat:
        if isinstance(each, Tensor):
            if target.rank < 2:
                raise TypeError("only integer tensors of a single element can be converted to an index")
            raise ValueError("only one element tensors can be converted to Python scalars")
        if isinstance(each, _SEQUENCES):
            raise TypeError(_no_number(target, type(each).__name__))
    values = _integers(flat, target) if target.rank == 1 else _others(flat, target)
    return values.reshape(shape)


_UNKNOWN = ("new(): invalid data type", "Could not infer dtype")


def _no_number(dtype: dtypes.dtype, kind: str) -> str:
    """Why an object can't be an element of this type."""
    if dtype.rank < 2:
        return f"'{kind}' object cannot be interpreted as an integer"
    return f"must be real number, not {kind}"


def _not_numbers(data: object, dtype: dtypes.dtype) -> Iterator[str]:
    """The kinds of what can't be an element of this type, in order."""
    if isinstance(data, _SEQUENCES):
        for each in data:
            yield from _not_numbers(each, dtype)
    elif isinstance(data, complex):
        if dtype.rank in (1, 2):
            yield "complex"
    elif not isinstance(data, (Tensor, np.ndarray, np.generic, *NUMBERS)):
        yield type(data).__name__


_SEQUENCES = (list, tuple, range, deque)
_DEEPEST = 128  # lists in lists


def _integers(flat: list[Any], target: dtypes.dtype) -> Array:
    return np.array([_whole(each, target) for each in flat], np.int64).astype(target.np)


def _whole(value: Any, target: dtypes.dtype) -> int:
    """A number as an integer of the type; a negative one wraps round in an unsigned type, a negative fraction does
    not."""
    limits = np.iinfo(target.np)
    if isinstance(value, complex):
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if isinstance(value, float):
        fits = limits.min <= value <= limits.max
    else:
        if not -(2**63) <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
        fits = (-limits.max if target is dtypes.uint8 else limits.min) <= value <= limits.max
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {target.name} without overflow")
    return int(value)


def _others(flat: list[Any], target: dtypes.dtype) -> Array:
    if target.rank == 2:
        if any(isinstance(each, complex) for each in flat):
            raise TypeError("must be real number, not complex")
        flat = [float(each) for each in flat]
    return np.array(flat, dtype=target.np)


def _is_sequence(data: object) -> bool:
    """Whether Python's C interface considers it a sequence: an array is one, a tensor is not."""
    return isinstance(data, _SEQUENCES) or (isinstance(data, np.ndarray) and data.ndim > 0)


def _sizes(data: Any) -> list[int]:
    """The shape read off the first elements, as PyTorch does."""
    found: list[int] = []
    while _is_sequence(data):
        found.append(len(data))
        if len(found) > _DEEPEST:  # a list may hold itself
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not len(data):
            break
        data = data[0]
        if isinstance(data, str):
            raise ValueError("too many dimensions 'str'")
    return found


def _store(data: Any, dim: int, shape: list[int], kinds: set[object], flat: list[object]) -> None:
    """Collect element types and values of nested sequences; ragged ones are refused, unless they are empty."""
    if 0 in shape:
        return
    if dim == len(shape):
        _leaf(data, kinds, flat)
        return
    if isinstance(data, Tensor) and data.ndim:
        data = data._data
    if not _is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    if isinstance(data, np.ndarray) and list(data.shape) == shape[dim:] and data.dtype.isnative:
        kinds.add(dtypes.OF_NUMPY[data.dtype])
        flat.extend(data.reshape(-1).tolist())
        return
    for each in data:
        if isinstance(each, np.ndarray):
            warn_once("list of arrays", _LIST_OF_ARRAYS)
        _store(each, dim + 1, shape, kinds, flat)


_LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor. (Triggered internally at "
    "/__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:252.)"
)


def _leaf(data: object, kinds: set[object], flat: list[object]) -> None:
    if isinstance(data, Tensor):
        kinds.add(data.dtype)
        if data._data.size != 1:
            flat.append(data)  # refused when the element type is known
            return
        if data.requires_grad:
            warn_once("scalar", TO_SCALAR.format(822))
        flat.append(data._data.item())
    elif isinstance(data, np.ndarray):
        kinds.add(dtypes.OF_NUMPY[data.dtype])
        flat.append(data.item())
    elif isinstance(data, _SEQUENCES):
        flat.append(data)
    else:
        kinds.add(None if data is None else _infer(data))
        flat.append(data.item() if isinstance(data, np.generic) else data)


def _infer(data: object) -> dtypes.dtype | None:
    """The element type of data; refused if it has none."""
    if isinstance(data, Tensor):
        return data.dtype
    if isinstance(data, np.ndarray):
        return dtypes.OF_NUMPY[data.dtype]
    if isinstance(data, _SEQUENCES):
        for each in data:
            _infer(each)
        return None
    if isinstance(data, np.generic):
        return dtypes.OF_NUMPY[data.dtype]
    if isinstance(data, NUMBERS):
        return dtypes.of_scalar(data)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    raise RuntimeError(f"Could not infer dtype of {type_name(data)}")


def check_element_type(data: Array) -> None:
    """Refuse a NumPy array whose elements no tensor has."""
    if data.dtype not in dtypes.OF_NUMPY:
        if not data.dtype.isnative:
            raise ValueError(
                "given numpy array has byte order different from the native byte order. Conversion between byte "
                "orders is currently not supported."
            )
        raise TypeError(NOT_NUMPY.format(f"numpy.{data.dtype.type.__name__}"))


def from_array(data: Array, dtype: dtypes.dtype | None = None) -> Array:
    """A copy of a NumPy array in a type that PyTorch has."""
    check_element_type(data)
    return data.astype(data.dtype if dtype is None else dtype.np)


def made(data: Array, requires_grad: bool = False) -> Tensor:
    """The result of a factory: reported to the observer, able to require grad."""
    if not data.size and data.ndim > 1 and type(data) is np.ndarray and data.flags.owndata:
        data = without_elements(data.shape, data.dtype)
    tensor = wrap(data)
    if state.layered:
        tensor._wraps = layers.tracking()
        tensor._on_meta = layers.making_numberless
    if requires_grad:
        if tensor.dtype.rank < 2:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        tensor._requires_grad = True
    if state.inference:
        tensor._inference = True
    if state.observer is not None:
        state.observer.created(tensor)
    return tensor


def _size(given: Any) -> int:
    """One of several sizes, possibly given as a tensor that holds an integer."""
    if isinstance(given, Tensor) and given._data.dtype.kind not in "iub":
        raise TypeError
    return operator.index(given) if not isinstance(given, Tensor) else int(given)


def sizes_of(args: Sequence[object], name: str = "zeros") -> tuple[int, ...]:
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    try:
        sizes = tuple(map(_size, args))
        if args and isinstance(args[0], bool):
            raise TypeError
    except TypeError:
        bad = next(n for n in args if isinstance(n, (bool, Tensor)) or not isinstance(n, (int, np.integer)))
        place = list(args).index(bad) + 1
        if place == 1:
            raise TypeError(
                f"{name}(): argument 'size' (position 1) must be tuple of ints, not {kind_name(bad)}"
            ) from None
        raise TypeError(
            f"{name}(): argument 'size' failed to unpack the object at pos {place} with error "
            f'"type must be tuple of ints,but got {type(bad).__name__}"'
        ) from None
    for n in sizes:
        if n < 0 and name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(sizes)}")
    return sizes


def float_type(dtype: dtypes.dtype | None) -> dtypes.dtype:
    return dtypes.get_default_dtype() if dtype is None else dtype


# --- from data ---


@api("tensor", where="torch")
def tensor(
    data: Any, *, dtype: Any = None, device: object = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A tensor with a copy of the data: numbers, nested sequences, an array."""
    if isinstance(data, Tensor):
        warn_of_copy("torch.tensor")
    check_device(device)
    return made(infer_array(data, dtype), requires_grad)


def warn_of_copy(name: str) -> None:
    """What PyTorch says about copying a tensor as if it were data."""
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor).",
        UserWarning,
        stacklevel=3,
    )


@api("as_tensor", where="torch")
def as_tensor(data: object, dtype: Any = None, device: object = None) -> Tensor:
    """A tensor over the data, without a copy where the type allows it."""
    check_device(device)
    if isinstance(data, Tensor):
        return data.to(device=device, dtype=dtype)
    if is_meta(device):
        return as_tensor(as_tensor(data, dtype, "cpu"), device="meta")
    if isinstance(data, np.ndarray) and (dtype is None or dtype.np == data.dtype):
        return from_numpy(data)
    return made(infer_array(data, dtype))


@api("from_numpy", where="torch")
def from_numpy(data: Array) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""
    if not isinstance(data, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(data).__name__})")
    check_element_type(data)
    if any(step < 0 for step in data.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently "
            "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
        )
    if not data.flags.writeable:
        warn_once("read-only array", _READ_ONLY)
    return made(np.asarray(data))  # for a subclass, the plain array over the same memory


_READ_ONLY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
    "writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program. "
    "(Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/tensor_numpy.cpp:213.)"
)


NOT_PINNED = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this "
    "system."
)


def _kind(device: object) -> str:
    if isinstance(device, int) and STANDING.kinds:  # a number means a GPU
        return "cuda"
    return Device(device).type


def check_device(device: object) -> None:
    """Only the CPU is there, and the device where tensors have no numbers."""
    kind = "cpu" if device is None or device == "cpu" else _kind(device)
    if kind in STANDING.kinds:
        return
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind not in ("cpu", "meta"):
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices")


@api("set_default_device", where="torch")
def set_default_device(device: object) -> None:
    """Where new tensors are made."""
    check_device(device)
    choose(Device("cpu" if device is None or _kind(device) in STANDING.kinds else device))


@api("get_default_device", where="torch")
def get_default_device() -> Device:
    """Where new tensors are made."""
    return chosen()


# --- filled ---


def put_out(out: Tensor, values: Array) -> Tensor:
    """Implement `out=` of a factory: the given tensor takes the shape and the values."""
    kind = out._data.dtype
    if out._data.shape == values.shape:
        np.copyto(out._data, values, casting="unsafe")
    else:
        out._data = values.astype(kind)
    out._count_write()
    return out


def _beside(source: Tensor, data: Array, requires_grad: bool, place: object) -> Tensor:
    """A new tensor where another one is, unless something else is said."""
    if place is not None:
        check_device(place)
    on_meta = is_meta(place) if place is not None else source._on_meta
    with layers.without_numbers() if on_meta else nullcontext():
        found = made(data, requires_grad)
    return found if source._coo is None else state.sparse.alike(source, found, "")


def _factory(name: str, fill: Callable[[tuple[int, ...], Any], Array]) -> None:
    """`torch.<name>(*size)`, `torch.<name>_like(x)` and `x.new_<name>(*size)`."""

    def function(
        *sizes: object,
        size: object = None,
        out: Tensor | None = None,
        dtype: Any = None,
        device: object = None,
        requires_grad: bool = False,
        memory_format: object = None,
        names: None = None,
    ) -> Tensor:
        check_device(device)
        kind, shape = float_type(dtype).np, sizes_of(sizes if size is None else (size,), name)
        check_room(shape, kind.itemsize)
        array = fill(shape, kind)
        return made(array, requires_grad) if out is None else put_out(out, array)

    def like(
        input: Tensor,
        *,
        dtype: dtypes.dtype | None = None,
        device: object = None,
        requires_grad: bool = False,
        memory_format: object = None,
    ) -> Tensor:
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}_like(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        array = alike(input._data, fill(input._data.shape, (dtype or input.dtype).np))
        return made(laid_as(array, input._data, memory_format), requires_grad)

    def new(
        self: Tensor,
        *size: object,
        dtype: Any = None,
        device: object = None,
        requires_grad: bool = False,
        layout: object = None,
        pin_memory: bool = False,
    ) -> Tensor:
        if pin_memory:
            raise RuntimeError(NOT_PINNED)
        if not size:
            raise TypeError(f'new_{name}() missing 1 required positional arguments: "size"')
        filled = fill(sizes_of(size, f"new_{name}"), (dtype or self.dtype).np)
        return _beside(self, alike(self._data, filled), requires_grad, device)

    function.__name__ = function.__qualname__ = name
    api(name, where="torch")(function)
    api(f"{name}_like", where="torch")(like)
    method(f"new_{name}")(new)


_factory("zeros", np.zeros)
_factory("ones", np.ones)
_factory("empty", np.zeros)  # uninitialised memory is zeros here


def _fitted(value: object, target: dtypes.dtype) -> object:
    """A number that passed `check_value`, as NumPy takes it."""
    if target is dtypes.bool_:
        return bool(value)
    if isinstance(value, int):
        return float(value) if target.rank == 2 else value % 256 if target is dtypes.uint8 else value
    return value


@api("full", where="torch")
def full(
    size: Any,
    fill_value: Any,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor with one value everywhere."""
    check_device(device)
    if isinstance(size, int):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    if not isinstance(value, (int, float, complex, np.generic)):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(value).__name__}")
    target = dtype or (dtypes.of_scalar(value) if out is None else out.dtype)
    check_value(value, target)
    shape = sizes_of(size, "full")
    check_room(shape, target.np.itemsize)
    array = np.full(shape, _fitted(value, target), target.np)
    return made(array, requires_grad) if out is None else put_out(out, array)


@api("full_like", where="torch")
def full_like(
    input: Tensor,
    fill_value: object,
    *,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
    memory_format: object = None,
) -> Tensor:
    """As `full`, with shape and type of another tensor."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    target = dtype or input.dtype
    check_value(value, target)
    array = alike(input._data, np.full(input._data.shape, _fitted(value, target), target.np))
    return made(laid_as(array, input._data, memory_format), requires_grad)


@method("new_full")
def new_full(
    self: Tensor,
    size: Any,
    fill_value: object,
    *,
    dtype: Any = None,
    device: object = None,
    requires_grad: bool = False,
    layout: object = None,
    pin_memory: bool = False,
) -> Tensor:
    """As `full`, with the type of this tensor."""
    if pin_memory:
        raise RuntimeError(NOT_PINNED)
    target = dtype or self.dtype
    check_value(fill_value, target)
    filled = np.full(sizes_of(size, "new_full"), _fitted(fill_value, target), target.np)
    return _beside(self, alike(self._data, filled), requires_grad, device)


@method("new_tensor")
def new_tensor(
    self: Tensor, data: object, *, dtype: dtypes.dtype | None = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    """As `torch.tensor`, with the type of this tensor."""
    if isinstance(data, Tensor):
        warn_of_copy("tensor.new_tensor")
    return _beside(self, infer_array(data, dtype or self.dtype), requires_grad, device)


@api("eye", where="torch")
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    requires_grad: bool = False,
) -> Tensor:
    """The identity matrix."""
    for label, size in (("n", n), ("m", m)):
        if size is not None and size < 0:
            raise RuntimeError(f"{label} must be greater or equal to 0, got {size}")
    return made(np.eye(n, m, dtype=float_type(dtype).np), requires_grad)


# --- as before PyTorch 0.4 ---


_LEGACY = (
    "(*, torch.device device = None)",
    "(torch.Storage storage)",
    "(Tensor other)",
    "(tuple of ints size, *, torch.device device = None)",
    "(object data, *, torch.device device = None)",
)


class Memory:
    """What a storage is: the memory behind a tensor."""

    __slots__ = ("_whole",)
    _whole: Tensor  # one dimension, over the whole memory
    is_typed: ClassVar[bool]


def legacy_tensor(dtype: dtypes.dtype, /, *args: object, **kwargs: object) -> Tensor:
    """`torch.Tensor(…)`, `torch.FloatTensor(…)`: sizes as numbers, data as one sequence, or a storage."""
    if not args and not kwargs:
        return made(np.zeros(0, dtype.np))
    first = args[0] if args else None
    is_whole = isinstance(first, (int, np.integer, Tensor, Size)) and not isinstance(first, bool)
    is_size = is_whole and not (isinstance(first, Tensor) and first.ndim)
    if kwargs.keys() - {"device"} or (len(args) > 1 and not is_size):
        raise TypeError(listed("new", _LEGACY, args, kwargs))
    if isinstance(first, Memory):
        return _of_memory(first, dtype)
    if len(args) == 1 and not is_whole:
        return made(_legacy_data(dtype, first))
    if isinstance(first, Tensor):
        if first.dtype is not dtype:
            raise TypeError(f"expected {_options(dtype)} (got {_options(first.dtype)})")
        return call(ROWS["alias"], first)
    return made(np.zeros(tuple(first) if isinstance(first, Size) else sizes_of(args, "new"), dtype.np))


def _of_memory(memory: Memory, dtype: dtypes.dtype) -> Tensor:
    """A tensor that shares this memory."""
    whole = memory._whole
    if memory.is_typed and whole.dtype is not dtype:
        raise RuntimeError(
            f"Expected a Storage of type {dtype.title} or an UntypedStorage, but got type {whole.dtype.title} for "
            "argument 1 'storage'"
        )
    return call(ROWS["alias"], whole) if memory.is_typed else whole.view(dtype)


def _options(dtype: dtypes.dtype) -> str:
    return (
        f"TensorOptions(dtype={dtype.cpp}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


def _legacy_data(dtype: dtypes.dtype, data: object) -> Array:
    """The elements of a sequence, in the requested type."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not isinstance(data, (*_SEQUENCES, np.ndarray)):
        kind = f"numpy.{type(data).__name__}" if isinstance(data, np.generic) else type(data).__name__
        raise TypeError(f"new(): data must be a sequence (got {kind})")
    return infer_array(data, dtype)


Tensor._legacy_new = staticmethod(legacy_tensor)  # type: ignore[method-assign]


# --- over existing memory ---


_INHERITS = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning. (Triggered internally at "
    "/__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:1737.)"
)
_NOT_WRITABLE = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to "
    "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest "
    "of this program. (Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:1556.)"
)


@api("asarray", where="torch")
def asarray(
    obj: Any, *, dtype: Any = None, device: object = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """A tensor of an object's values: over its memory, or with a copy of it."""
    check_device(device)
    if isinstance(obj, Tensor):
        return _of_tensor(obj, dtype, copy, requires_grad)
    shared = _over(obj, dtype)
    if shared is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return made(infer_array(obj, dtype), bool(requires_grad))
    if dtype is not None and dtype is not shared.dtype:
        _check_alias(shared, dtype, copy)
        shared = shared.to(dtype)
    elif copy:
        shared = shared.clone()
    return shared.requires_grad_() if requires_grad else shared


def _over(obj: Any, dtype: dtypes.dtype) -> Tensor | None:
    """The tensor over an array's or a buffer's memory; None for anything else."""
    if isinstance(obj, np.ndarray):
        return from_numpy(obj)
    if isinstance(obj, np.generic):
        return None
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, dtype=dtype or dtypes.get_default_dtype())


def _check_alias(source: Tensor, dtype: dtypes.dtype, copy: bool | None) -> None:
    if copy is False:
        raise ValueError(f"can't alias tensor with dtype '{source.dtype.title}' into dtype '{dtype.title}'.")


def _of_tensor(obj: Tensor, dtype: dtypes.dtype, copy: bool | None, requires_grad: bool | None) -> Tensor:
    found = obj
    if dtype is not None and dtype is not obj.dtype:
        _check_alias(obj, dtype, copy)
        found = obj.to(dtype)
    elif copy:
        found = obj.clone()
    if requires_grad is None:
        if found._requires_grad:
            warn_once("asarray", _INHERITS)
        return found
    if found._requires_grad and not requires_grad and not found.is_leaf:
        return found.detach()
    return found.requires_grad_(requires_grad)  # also on the leaf that was passed in


_LETTERS = "w"  # how the format of NumPy's texts ends


@api("frombuffer", where="torch")
def frombuffer(
    buffer: Any, *, dtype: dtypes.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A tensor with one dimension over the memory of an object that has a buffer."""
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if memory.format.endswith(_LETTERS):  # Python trusts that each of them is one
        raise ValueError("the memory of a text can't be read as numbers")
    n, each = memory.nbytes, dtype.itemsize
    if n == 0 or count == 0:
        raise ValueError(f"both buffer length ({n}) and count ({count}) must not be 0")
    if memory.readonly:
        warn_once("frombuffer", _NOT_WRITABLE)
    if not 0 <= offset < n:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({n} bytes) minus 1"
        )
    if count < 0 and (n - offset) % each:
        raise ValueError(
            f"buffer length ({n - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({each})"
        )
    if count > 0 and count * each + offset > n:
        raise ValueError(
            f"requested buffer length ({count} * {each} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({n} bytes)"
        )
    return made(np.frombuffer(memory, dtype.np, count, offset), requires_grad)


def read_as(self: Tensor, dtype: dtypes.dtype) -> Tensor:
    """`x.view(dtype)`: the bytes read as another type, without history; the last dimension absorbs the difference in
    size."""
    array = self._data
    if self._lazy:
        bit = "conjugate" if self._lazy == "conj" else "negative"
        raise RuntimeError(
            f"torch.Tensor.view is not supported for {bit} view tensors when converting to a different dtype."
        )
    old, new = array.dtype.itemsize, dtype.itemsize
    if old != new:
        _check_layout(array, self.dtype, dtype)
    found = wrap(array.view(dtype.np))
    if self._inference or state.inference:
        found._inference, found._version_counter = True, self._version_counter if self._inference else None
    else:
        found._version_counter = self._share_version()
    if state.observer is not None:
        state.observer.detached(self, found)
    return found


def _check_layout(array: Array, source: dtypes.dtype, target: dtypes.dtype) -> None:
    what = f"to view {source.title} as {target.title} (different element sizes)"
    old, new = source.itemsize, target.itemsize
    if not array.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 {what}")
    strides = [n // old for n in array.strides]
    ratio = new // old
    if ratio and array.shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {what}, but got {array.shape[-1]}")
    if strides[-1] != 1 and array.size:
        raise RuntimeError(f"self.stride(-1) must be 1 {what}, but got {strides[-1]}")
    if old > new or not array.size:
        return
    start = start_of(array, memory_of(array)) // old
    if start % ratio:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {what}, but got {start}")
    for at, stride in enumerate(strides[:-1]):
        if stride % ratio:
            raise RuntimeError(f"self.stride({at}) must be divisible by {ratio} {what}, but got {stride}")
