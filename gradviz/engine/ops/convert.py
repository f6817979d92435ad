"""Conversions of tensors: casts, numbers, lists, NumPy arrays, text."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes, layers, printing
from gradviz.engine.kernel.batched import NO_ITEM, levels_of
from gradviz.engine.kernel.devices import NO_CUDA_LIBRARY, STANDING, is_meta
from gradviz.engine.kernel.devices import device as Device
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.formula import sentence
from gradviz.engine.kernel.memory import SPARSE_COO, SPARSE_CSR, is_laid, laid_as, single_steps
from gradviz.engine.kernel.messages import IMAGINARY_PART, NO_NUMBERS, NOT_ASKED, TO_SCALAR
from gradviz.engine.kernel.rows import op
from gradviz.engine.kernel.state import paused, state, warn_once
from gradviz.engine.kernel.tensor import Tensor, bare
from gradviz.engine.ops.creation import check_device, from_numpy
from gradviz.engine.ops.elementwise import operand
from gradviz.engine.ops.elementwise import result_type as common
from gradviz.engine.run.api import FUNCTIONS, api, method, prop
from gradviz.engine.run.apply import call
from gradviz.engine.run.overrides import is_own
from gradviz.engine.transforms.layered import text_of


def _cast(x: Array, *, dtype: dtypes.dtype, memory_format: object = None) -> Array:
    with np.errstate(all="ignore"):
        made = (x.real if x.dtype.kind == "c" and not dtype.is_complex else x).astype(dtype.np)
    if memory_format is not None or (type(x) is np.ndarray and (not x.flags.c_contiguous or single_steps(x))):
        return laid_as(np.asarray(made, order="C"), x, memory_format)
    return made


TO = op(
    "_to_copy",
    "self",
    _cast,
    node="ToCopyBackward0",
    category="shape",
    symbol="to",
    latex=r"x",
    brief="Another element type.",
    self=sentence(
        "grad, in the former type",
        lambda grad, self_dtype: (grad.real if grad.dtype.is_complex and not self_dtype.is_complex else grad).to(
            self_dtype
        ),
    ),
)


@method("to")
def to(
    self: Tensor,
    *args: object,
    dtype: dtypes.dtype | None = None,
    device: object = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: object = None,
) -> Tensor:
    """Another element type or device; the tensor itself when it has them already."""
    flags = [each for each in args[1:] if isinstance(each, bool)]  # non_blocking, copy
    copy = flags[1] if len(flags) == 2 else copy
    for at, each in enumerate(args):
        if isinstance(kind := dtypes.meant(each), dtypes.dtype):
            dtype = kind
        elif isinstance(each, Tensor):
            dtype = each.dtype
        elif isinstance(each, float | complex) or (isinstance(each, bool) and not at):  # it stands for its type
            dtype = dtypes.OF_PYTHON[type(each)]
        elif not isinstance(each, bool):
            device = each
    check_device(device)
    dtype = self.dtype if dtype is None else dtype
    if device is not None and is_meta(device) is not self._on_meta:
        if self._on_meta:
            raise NotImplementedError(NO_NUMBERS)
        with layers.without_numbers():
            return call(TO, self, dtype=dtype)
    asked = memory_format is not None and str(memory_format) != _suggested(self._data)
    if dtype is self.dtype and not copy and (not asked or str(memory_format) == "torch.preserve_format"):
        return self
    if self.dtype.is_complex and dtype is dtypes.bool_:
        return call(TO, self != 0, dtype=dtype, memory_format=memory_format)
    if self.dtype.is_complex and not dtype.is_complex:
        warn_once("imaginary part", IMAGINARY_PART)
    return call(TO, self, dtype=dtype, memory_format=memory_format)


def _suggested(x: Array) -> str:
    """The format that PyTorch takes an array to have: any but rows of channels is in order for it."""
    last = {4: "torch.channels_last", 5: "torch.channels_last_3d"}.get(x.ndim)
    return last if last and not x.flags.c_contiguous and is_laid(x, last) else "torch.contiguous_format"


def _caster(name: str, target: dtypes.dtype) -> None:
    method(name)(lambda self, memory_format=None: to(self, target, memory_format=memory_format))


for _name, _target in {
    "float": dtypes.float32,
    "double": dtypes.float64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool_,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}.items():
    _caster(_name, _target)

method("type_as")(lambda self, other: to(self, other.dtype))
method("cpu")(lambda self, memory_format=None: to(self, "cpu"))
method("share_memory_")(lambda self: self)


@api("get_device")
def get_device(input: Tensor) -> int:
    """The number of the GPU: there is none."""
    if not isinstance(input, Tensor):
        raise TypeError(f"get_device(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return -1


@method("pin_memory")
def pin_memory(self: Tensor, device: object = None) -> Tensor:
    """Refused: there is no accelerator to pin memory for."""
    if device is not None and Device(device).type == "cpu":
        raise RuntimeError("CPU device type not an accelerator.")
    raise RuntimeError("Cannot access accelerator device when none is available.")


@method("cuda")
def cuda(self: Tensor, *args: object, **kwargs: object) -> Tensor:
    """Refused without a GPU; the tensor itself if the CPU stands for one."""
    given = args[0] if args else kwargs.get("device")
    if type(given) is int and given < 0:
        raise RuntimeError("Device index must not be negative")
    if isinstance(given, (str, Device)) and Device(given).type == "cpu":
        raise RuntimeError("Invalid device, must be cuda device")
    check_device("cuda" if given is None else given)
    return self


@method("type")
def type_(
    self: Tensor, dtype: object = None, non_blocking: bool = False, *, memory_format: object = None
) -> Tensor | str:
    """The legacy name of the element type, or a cast to it."""
    if dtype is None:
        return self.dtype.label if self._coo is None else self.dtype.label.replace("torch.", "torch.sparse.")
    text = dtype if isinstance(dtype, str) else ""
    if (text.startswith("torch.cuda.") or getattr(dtype, "is_cuda", False) is True) and not STANDING.kinds:
        raise RuntimeError(NO_CUDA_LIBRARY)
    if isinstance(dtype, str):
        for each in dtypes.ALL:
            if each.label == text.replace("torch.cuda.", "torch."):
                return to(self, each)
        raise ValueError(f"invalid type: '{dtype}'")
    wanted = dtype if isinstance(dtype, dtypes.dtype | Tensor) else getattr(dtype, "dtype", None)  # of FloatTensor
    if not isinstance(wanted, dtypes.dtype):
        if isinstance(dtype, type):
            raise ValueError(f"invalid type: '{dtype.__name__}'")
        raise TypeError("dtype must be a type, str, or dtype object")
    return to(self, wanted)


# --- numbers ---


@method("item")
def item(self: Tensor) -> Any:
    """The one element as a Python number."""
    if state.layered and levels_of(self._data):
        raise RuntimeError(NO_ITEM)
    if self._data.size != 1:
        raise RuntimeError(f"a Tensor with {self._data.size} elements cannot be converted to Scalar")
    if self._on_meta:
        raise RuntimeError(NOT_ASKED)
    found = self._data.item()
    return float(found) if self._data.dtype.kind == "V" else found


@method("tolist")
def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers."""
    if self._on_meta:
        raise NotImplementedError(NO_NUMBERS)
    if self._coo is not None:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
    return (self._data.astype(np.float32) if self._data.dtype.kind == "V" else self._data).tolist()


def _number(name: str, kind: type, line: int = 822) -> None:
    @method(name)
    def convert(self: Tensor) -> Any:
        if self._data.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if self._requires_grad and not (kind is int and self._data.dtype.kind == "c"):
            warn_once("scalar", TO_SCALAR.format(line), stacklevel=3)
        found = item(self)
        if kind is not complex and isinstance(found, complex):
            if found.imag:
                target = "int64_t" if kind is int else "double"
                raise RuntimeError(f"value cannot be converted to type {target} without overflow")
            found = found.real
        return kind(found)


_number("__float__", float)
_number("__int__", int, 837)
_number("__complex__", complex)


@method("__index__")
def index(self: Tensor) -> int:
    """An integer tensor with one element as an index."""
    if self._data.size != 1 or self._data.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(self))


@method("__len__")
def length(self: Tensor) -> int:
    """The size of the first dimension."""
    if not self._data.ndim:
        raise TypeError("len() of a 0-d tensor")
    return int(self._data.shape[0])


@method("__iter__")
def iterate(self: Tensor) -> Iterator[Tensor]:
    """The slices along the first dimension."""
    if not self._data.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(FUNCTIONS["unbind"](self, 0))


@method("numpy")
def numpy(self: Tensor, *, force: bool = False) -> Array:
    """The data as a NumPy array that shares the memory."""
    if self._requires_grad and state.grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self._coo is not None:
        kind = "SparseCsr" if self._coo.compressed else "Sparse"
        raise TypeError(f"can't convert {kind} layout tensor to numpy. Use Tensor.to_dense() first.")
    if self._on_meta:
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    if self._data.dtype.kind == "V":
        raise TypeError("Got unsupported ScalarType BFloat16")
    if self._lazy and not force:
        bit = "conjugate" if self._lazy == "conj" else "negative"
        raise RuntimeError(
            f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{self._lazy}().numpy() instead."
        )
    if state.observer is not None:
        state.observer.exported(self)
    return self._data if type(self._data) is np.ndarray else np.asarray(self._data)  # of a function transform


@method("__array__")
def as_array(self: Tensor, dtype: Any = None, copy: object = None) -> Array:
    """For `np.asarray(tensor)`."""
    found = numpy(self)
    return found if dtype is None else found.astype(dtype)


@method("__array_wrap__")
def array_wrap(self: Tensor, array: object, context: object = None, return_scalar: bool = False) -> Tensor:
    """Called by NumPy on results of its own functions on a tensor: returns a tensor over the same memory."""
    found = np.asarray(array)
    return from_numpy(found.astype(np.uint8) if found.dtype == np.bool_ else found)


# --- copies of the object ---


class AsSaved(dict[int, Any]):
    """The memo of a copy that stands for a saved object: in it a tensor with history becomes a leaf with its values."""


_NOT_COPIED = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that "
    "implement new_empty() and for which that function returns another instance of the same subclass. You should "
    "either properly implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for "
    "new_empty() to return an instance of a different type."
)


@method("__deepcopy__")
def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A leaf with its own memory; a tensor with history can't be copied so."""
    if self.grad_fn is not None and type(memo) is not AsSaved:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. "
            " If you were "
            "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]  # type: ignore[no-any-return]
    if not is_own(type(self)):
        raise RuntimeError(_NOT_COPIED)
    made: Tensor = bare(type(self))
    made._data = self._data.copy()
    made._requires_grad = self._requires_grad
    made._on_meta, made._coo, made._is_buffer = self._on_meta, self._coo, self._is_buffer
    memo[id(self)] = made
    if self._grad is not None:
        made._grad = deepcopy(self._grad, memo)
    made.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items() if not k.startswith("_")})
    return made


# --- text ---


def _shown(tensor: Tensor) -> str:
    if state.layered:
        found = text_of(tensor)
        if found is not None:
            return found
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view whose history can't be rebuilt after a write
        name: str | None = "Invalid"
    else:
        name = None if node is None else node.class_name
    if tensor._on_meta:
        return _without_numbers(tensor, name)
    if tensor._coo is not None:
        return printing.sparse_repr(
            tensor._coo.indices,
            tensor._coo.values,
            tensor._data,
            SPARSE_CSR if tensor._coo.compressed else SPARSE_COO,
            [f"grad_fn=<{name}>"] if name else ["requires_grad=True"] if tensor.requires_grad else [],
        )
    own = is_own(type(tensor))
    shown = printing.tensor_repr(
        tensor._data,
        grad_fn=name,
        requires_grad=tensor.requires_grad,
        default_dtype=dtypes.get_default_dtype().np,
        prefix="tensor(" if own else f"{type(tensor).__name__}(",
    )
    return f"Parameter({shown})" if tensor._is_param and not own else shown


def _without_numbers(tensor: Tensor, grad_fn: str | None) -> str:
    parts = ["...", "device='meta'", f"size={tuple(tensor._data.shape)}"]
    if tensor.dtype is not dtypes.get_default_dtype():
        parts.append(f"dtype={tensor.dtype}")
    if grad_fn is not None:
        parts.append(f"grad_fn=<{grad_fn}>")
    elif tensor.requires_grad:
        parts.append("requires_grad=True")
    return f"tensor({', '.join(parts)})"


@method("__repr__", "__str__")
def text(self: Tensor, *, tensor_contents: object = None) -> str:
    """As PyTorch prints it."""
    with paused():
        return _shown(self)


@method("__format__")
def formatted(self: Tensor, spec: str) -> str:
    """The one element as a number if there is a format; otherwise as printed."""
    if not self._data.ndim and type(self) is Tensor and not self._on_meta:
        return format(item(self), spec)
    return object.__format__(self, spec)


prop("device")(lambda self: Device("meta" if self._on_meta else "cpu"))
prop("is_meta")(lambda self: self._on_meta)


@api("result_type", where="torch")
def result_type(tensor1: object, tensor2: object) -> dtypes.dtype:
    """The type that an operation on both would give."""
    return common(operand(tensor1), operand(tensor2))


@api("promote_types", where="torch")
def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The smallest type that both fit in."""
    return dtypes.promote(dtypes.meant(type1), dtypes.meant(type2))


@api("can_cast", where="torch")
def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Whether an in-place result of one type may be written to a tensor of the other."""
    return dtypes.can_cast(dtypes.meant(from_), dtypes.meant(to))


api("is_tensor", where="torch")(lambda obj: isinstance(obj, Tensor))


@api("detach", where="torch")
def detach(input: Tensor) -> Tensor:
    """The same memory without history."""
    return input.detach()
