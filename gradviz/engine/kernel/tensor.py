"""What a value is: a NumPy array with a place in the autograd graph. The class holds state and identity only; what a
tensor can *do* is attached to it from the op rows and the functions (`api.py`), so that each operation is written down
once. See `rows.py` next."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, SupportsIndex, overload

import numpy as np

from gradviz.engine.kernel import conjugates, dtypes
from gradviz.engine.kernel.batched import plain
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import Node, RemovableHandle, refresh, shown
from gradviz.engine.kernel.memory import VersionCounter
from gradviz.engine.kernel.messages import SET_ON_INFERENCE, WRITTEN_OUTSIDE, called
from gradviz.engine.kernel.state import Hook, state

LEAVES_ONLY = "you can only change requires_grad flags of leaf variables."
USE_DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
    "var.detach()."
)
OTHER_KIND = "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during "
    "autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the "
    "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information. (Triggered internally at "
    "/__w/pytorch/pytorch/build/aten/src/ATen/core/TensorBody.h:493.)"
)


@called("torch.Size")
class Size(tuple[int, ...]):
    """A shape: a tuple that prints as `torch.Size([2, 3])`."""

    def __new__(cls, sizes: Iterable[SupportsIndex] = ()) -> Size:
        found = tuple(sizes)
        for at, each in enumerate(found):
            if type(each) is not int and not isinstance(each, SupportsIndex):  # a slow question
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {at} is '{type(each).__name__}')")
        return tuple.__new__(cls, map(operator.index, found))

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    def numel(self) -> int:
        """The number of elements."""
        count = 1
        for each in self:
            count *= each
        return count

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: SupportsIndex | slice) -> int | Size:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(found, tuple) else found

    def __add__(self, other: object) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple(self) + other)

    def __radd__(self, other: object) -> Size:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: SupportsIndex) -> Size:
        return Size(tuple(self) * count)

    __rmul__ = __mul__


class View:
    """How a view was made from its base: enough to rebuild its `grad_fn` after the base was written to."""

    __slots__ = ("lent", "origin", "version")

    def __init__(self, version: int, origin: str = "", lent: bool = False) -> None:
        self.lent = lent  # it requires grad because its base does, without a history of its own
        self.version = version  # of the memory, when `grad_fn` was last made
        self.origin = origin  # why it can't be written to: "no_grad", "inference", "multiple" (results), "custom"


if TYPE_CHECKING:

    class WithIndices(NamedTuple):
        """Elements, and where they were found."""

        values: Tensor
        indices: Tensor

    class Operations:
        """The operations of tensors, for the type checker: they are attached in `api.py`."""

        grad_dtype: Any
        retains_grad: bool
        _backward_hooks: OrderedDict[int, Hook]
        device: object
        itemsize: int
        T: Tensor
        mT: Tensor
        H: Tensor
        mH: Tensor
        real: Tensor
        imag: Tensor

        def __getattr__(self, name: str) -> Callable[..., Tensor]: ...  # except those with another result:
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __index__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __contains__(self, value: object) -> bool: ...
        def __setitem__(self, index: object, value: object) -> None: ...
        def item(self) -> Any: ...
        def tolist(self) -> Any: ...
        def numpy(self, *, force: bool = False) -> Array: ...
        def dim(self) -> int: ...
        def ndimension(self) -> int: ...
        def numel(self) -> int: ...
        def nelement(self) -> int: ...
        def element_size(self) -> int: ...
        def storage_offset(self) -> int: ...
        def data_ptr(self) -> int: ...
        @overload
        def size(self) -> Size: ...
        @overload
        def size(self, dim: int) -> int: ...
        def size(self, dim: int | None = None) -> int | Size: ...
        def stride(self, dim: int | None = None) -> Tensor: ...
        def type(self, *args: object) -> Any: ...
        def equal(self, other: Tensor) -> bool: ...
        def is_complex(self) -> bool: ...
        def is_floating_point(self) -> bool: ...
        def is_contiguous(self, memory_format: object = None) -> bool: ...
        def backward(self, *args: object, **kwargs: object) -> None: ...
        def register_hook(self, hook: Callable[..., object]) -> RemovableHandle: ...
        def split(self, *args: object, **kwargs: object) -> tuple[Tensor, ...]: ...
        def chunk(self, *args: object, **kwargs: object) -> tuple[Tensor, ...]: ...
        def unbind(self, dim: int = 0) -> tuple[Tensor, ...]: ...
        @overload
        def max(self) -> Tensor: ...
        @overload
        def max(self, dim: int, keepdim: bool = False) -> WithIndices: ...
        def max(self, dim: int | None = None, keepdim: bool = False) -> Tensor | WithIndices: ...
        @overload
        def min(self) -> Tensor: ...
        @overload
        def min(self, dim: int, keepdim: bool = False) -> WithIndices: ...
        def min(self, dim: int | None = None, keepdim: bool = False) -> Tensor | WithIndices: ...
        def sort(self, *args: object, **kwargs: object) -> WithIndices: ...
        def topk(self, *args: object, **kwargs: object) -> WithIndices: ...
        def requires_grad_(self, requires_grad: bool = True) -> Tensor: ...
        def detach(self) -> Tensor: ...
        def view(self, *size: object) -> Tensor: ...
        def reshape(self, *size: object) -> Tensor: ...
        def squeeze(self, dim: object = None) -> Tensor: ...
        def unsqueeze(self, dim: int) -> Tensor: ...
        def clone(self, *, memory_format: object = None) -> Tensor: ...
        def to(self, *args: object, **kwargs: object) -> Tensor: ...
        def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __add__(self, other: object) -> Tensor: ...
        def __radd__(self, other: object) -> Tensor: ...
        def __sub__(self, other: object) -> Tensor: ...
        def __rsub__(self, other: object) -> Tensor: ...
        def __mul__(self, other: object) -> Tensor: ...
        def __rmul__(self, other: object) -> Tensor: ...
        def __truediv__(self, other: object) -> Tensor: ...
        def __rtruediv__(self, other: object) -> Tensor: ...
        def __pow__(self, other: object) -> Tensor: ...
        def __rpow__(self, other: object) -> Tensor: ...
        def __mod__(self, other: object) -> Tensor: ...
        def __rmod__(self, other: object) -> Tensor: ...
        def __floordiv__(self, other: object) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __matmul__(self, other: object) -> Tensor: ...
        def __getitem__(self, index: object) -> Tensor: ...
        def __lt__(self, other: object) -> Tensor: ...
        def __le__(self, other: object) -> Tensor: ...
        def __gt__(self, other: object) -> Tensor: ...
        def __ge__(self, other: object) -> Tensor: ...
        def __and__(self, other: object) -> Tensor: ...
        def __or__(self, other: object) -> Tensor: ...
        def __invert__(self) -> Tensor: ...

else:
    Operations = object


@dataclass(frozen=True)
class Coordinates:
    """The elements that a sparse tensor specifies: `indices` has a row for each sparse dimension, a column for each
    element. They may come in any order and more than once, unless `coalesced`. `compressed` ones are kept by rows."""

    indices: Array
    values: Array
    coalesced: bool = False
    compressed: bool = False


class Tensor(Operations):
    """A value. Attributes that start with an underscore belong to the engine. Those that every operation reads are
    slots, which `bare` fills in; users may add others."""

    __slots__ = (
        "__dict__", "__weakref__", "_accumulator", "_base", "_data", "_grad", "_inference", "_node", "_output_nr",
        "_requires_grad", "_tag", "_version_counter", "_view", "_wrapped",
    )  # fmt: skip
    _data: Array
    _node: Node | None
    _output_nr: int
    _requires_grad: bool
    _grad: Tensor | None
    _accumulator: Node | None
    _version_counter: VersionCounter | None
    _base: Tensor | None
    _view: View | None
    _hooks: OrderedDict[int, Hook] | None = None
    _post_accumulate: OrderedDict[int, Hook] | None = None
    _wrapped: Any  # the Python number that this tensor stands for
    _inference: bool
    _detached: bool = False  # by detach_, from its history
    _tangents: dict[int, Tensor | None] | None = None  # of open levels of forward differentiation
    _dual_base: Tensor | bool = False  # whose tangents a view has: its base's (False), its own (True), or this one's
    _all_examples: tuple[Tensor, int, int, Node | None] | None = None  # split by a vmap: (level, dim, its node)
    _on_meta: bool = False  # its numbers are zeros that nobody sees
    _lazy: str = ""  # "conj" or "neg": PyTorch would compute that only when the numbers are read
    _coo: Coordinates | None = None  # what is specified, if it is sparse
    _wraps: tuple[int, ...] = ()  # the function transforms that were open when it was made
    _grad_dtype: Any = False  # the type that `.grad` must have: its own (False), any (None), or a dtype
    _is_param: bool = False  # a parameter of a module, whatever its class
    _is_buffer: bool = False  # made by nn.Buffer
    _tag: int  # the number that the recorder knows it by
    __array_priority__ = 1000
    is_cuda: ClassVar[bool] = False
    is_quantized: ClassVar[bool] = False
    is_nested: ClassVar[bool] = False
    is_mkldnn: ClassVar[bool] = False
    is_xpu: ClassVar[bool] = False
    is_ipu: ClassVar[bool] = False
    is_maia: ClassVar[bool] = False
    is_mtia: ClassVar[bool] = False
    is_vulkan: ClassVar[bool] = False
    is_xla: ClassVar[bool] = False

    if TYPE_CHECKING:  # attached elsewhere

        @staticmethod
        def _legacy_new(dtype: dtypes.dtype, /, *args: object, **kwargs: object) -> Tensor: ...  # in creation.py
        def _remake_view(self) -> None: ...  # in inplace.py
        def _check_writable(self, tracked: bool = False) -> None: ...  # in inplace.py
        def _is_tracked_here(self) -> bool: ...  # in layered.py

    def __new__(cls, *args: object, **kwargs: object) -> Tensor:
        if cls is Tensor:
            if len(args) == 1 and isinstance(args[0], Tensor) and not kwargs:
                return cls._legacy_new(args[0].dtype, args[0])  # of whatever element type
            return cls._legacy_new(dtypes.default.dtype, *args, **kwargs)
        made = Tensor.__new__(Tensor, *args, **kwargs)
        made.__class__ = cls
        return made

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass

    # --- what it is ---

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return dtypes.OF_NUMPY[self._data.dtype]

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        found: Size = _new_size(Size, self._data.shape)
        return found

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._data.ndim

    @property
    def is_leaf(self) -> bool:
        """Whether no tracked operation made it."""
        if not self._requires_grad:
            return True
        if self._base is not None:
            self._sync_view()
        return self._node is None

    @property
    def requires_grad(self) -> bool:
        """Whether gradients with respect to it are wanted; for a view also if they are for its base."""
        base = self._base
        if base is not None and base._requires_grad and self._view is not None and not self._inference:
            return True
        if state.layered and self._requires_grad:
            return self._is_tracked_here()
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._node is not None:
            raise RuntimeError(LEAVES_ONLY + ("" if value else USE_DETACH))
        if value and self._inference and not state.inference:
            raise RuntimeError(SET_ON_INFERENCE)
        if value and self.dtype.rank < 2:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        changed = self._requires_grad != bool(value)
        if value and self._view is not None:
            self._view.lent = False  # now a leaf by itself
        self._requires_grad = bool(value)
        if changed and self._version_counter is not None:
            if value:
                self._version_counter.now_tracked(self, lent=True)
            else:
                self._version_counter.untracked(self)
        if changed and state.observer is not None:
            state.observer.metadata_changed(self)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    @property
    def grad_fn(self) -> Node | None:
        """The node that made it, None for a leaf."""
        if self._base is not None:
            self._sync_view()
        return shown(self._node)  # type: ignore[no-any-return]

    @property
    def output_nr(self) -> int:
        """Which output of its `grad_fn` it is."""
        return self._output_nr

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient of a leaf (or of a tensor that retains its gradient)."""
        if self._grad is None and self._node is not None and not self.retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            _check_grad(self, value)
        self._grad = value
        if state.observer is not None:
            state.observer.cleared(self, value is None)

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def _gradient_type(self) -> Any:
        """The NumPy type of its gradient; None if any will do."""
        wanted = self._grad_dtype
        return self._data.dtype if wanted is False else None if wanted is None else wanted.np

    @property
    def data(self) -> Tensor:
        """The same memory without history, and without the version counter that would notice a write."""
        if type(self._data) is not np.ndarray:
            raise RuntimeError("accessing `data` under vmap transform is not allowed")
        found = wrap(self._data)
        found._inference, found._lazy, found._on_meta = self._inference, self._lazy, self._on_meta
        found._coo = self._coo
        if self._inference and not state.inference:
            found._share_version()  # it counts its writes separately
        if state.observer is not None:
            state.observer.detached(self, found)
        return found

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._requires_grad and value.dtype.rank < 2:
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        if (self._coo is None) is not (value._coo is None):
            raise RuntimeError(OTHER_KIND)
        if state.observer is not None:
            state.observer.before_write(self)
        self._data, self._on_meta, self._coo = value._data, value._on_meta, value._coo
        if not self._inference and value._inference:
            self._share_version()  # it keeps its own counter
        self._inference = value._inference
        if self._accumulator is not None:
            refresh(self._accumulator)
        if state.observer is not None:
            state.observer.metadata_changed(self)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    @property
    def name(self) -> None:
        """None: tensors have no names."""

    # --- versions and views ---

    @property
    def _version(self) -> int:
        if self._version_counter is None:
            if self._inference:
                raise RuntimeError("Inference tensors do not track version counter.")
            return 0
        return self._version_counter.value

    def _share_version(self) -> VersionCounter:
        """The counter of this memory, made when it first has to be shared or incremented."""
        counter = self._version_counter
        if counter is None:
            counter = self._version_counter = VersionCounter()
        return counter

    def _count_write(self) -> None:
        """Increment the version of this memory; tensors of inference mode have none and can't be written to outside
        it."""
        if self._version_counter is None and self._inference:
            if not state.inference:
                raise RuntimeError(WRITTEN_OUTSIDE)
        else:
            self._share_version().value += 1
        if conjugates.known:
            conjugates.carry_over(self._data)

    def _is_view(self) -> bool:
        return self._base is not None

    def _sync_view(self) -> None:
        """Rebuild the `grad_fn` of a differentiable view if its memory has been written to since it was made."""
        view = self._view
        if view is not None and not self._inference and view.version != self._version:
            self._remake_view()

    def __hash__(self) -> int:
        return id(self)

    def __reduce_ex__(self, protocol: object) -> Any:
        own = {name: value for name, value in vars(self).items() if not hasattr(Tensor, name)}
        return _unpickled, (type(self), self._data, self._requires_grad), own or None


Tensor.__module__ = Size.__module__ = "torch"  # shown when a snippet prints a type
_new = object.__new__
_new_size: Any = tuple.__new__
_EMPTY: Array = np.empty(0, np.float32)


def fixed(name: str, read: Callable[..., object]) -> property:
    """A read-only attribute of a tensor, with PyTorch's words for assignments."""

    def refuse(self: Tensor, value: object) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return property(read, refuse, lambda self: refuse(self, None), read.__doc__)


for _fact in ("dtype", "shape", "ndim", "is_leaf", "grad_fn", "name", "output_nr", "_version"):
    setattr(Tensor, _fact, fixed(_fact, Tensor.__dict__[_fact].fget))


def wrap(data: Array, kind: type[Tensor] = Tensor) -> Tensor:
    """A tensor without history over `data` (an ndarray, not copied)."""
    tensor: Tensor = _new(kind)
    tensor._data = data
    tensor._node = tensor._grad = tensor._accumulator = tensor._version_counter = None
    tensor._base = tensor._view = tensor._wrapped = None
    tensor._requires_grad = tensor._inference = False
    tensor._output_nr = 0
    tensor._tag = -1
    return tensor


def mark_inference(made: Iterable[Tensor | None], given: Sequence[Tensor | None]) -> None:
    """What is made in inference mode is a tensor of that mode, but not what is only handed on."""
    for each in made:
        if each is not None and all(each is not one for one in given):
            each._inference, each._version_counter = True, None


def bare(kind: type[Tensor]) -> Any:
    """A tensor of some class without data yet."""
    tensor = wrap(_EMPTY, kind)
    del tensor._data
    return tensor


def _check_grad(tensor: Tensor, value: object) -> None:
    """Refuse a value that can't be the gradient of a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = tensor._gradient_type()
    if wanted is not None and value._data.dtype != wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.cpp}' to a tensor with grad_dtype "
            f"'{dtypes.OF_NUMPY[wanted].title}'. The gradient must match the tensor's grad_dtype (defaults to "
            "the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
            "allow any dtype. "
            "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match."
        )
    if value._data.shape != tensor._data.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. "
            "Please ensure that the gradient and the tensor are the same size"
        )


class MarkedType(type):
    """The class of `Parameter` and `Buffer`: a tensor with their mark is an instance of them, whatever its class."""

    def __instancecheck__(cls, instance: object) -> bool:
        mark = MARKS.get(cls)
        if mark is not None and isinstance(instance, Tensor) and getattr(instance, mark):
            return True
        return type.__instancecheck__(cls, instance)


MARKS: dict[type, str] = {}  # the attribute that marks an instance, for these classes but not for derived ones
ORDINARY = frozenset((type, MarkedType))  # the classes of classes that are made and used like any other


def only_tensor(made: object) -> Tensor:
    """Return what a method that a class may define has answered, before an attribute of it is set; raises TypeError for
    any other object, such as a class that all share, which gets none."""
    if not isinstance(made, Tensor):
        raise TypeError(f"expected a torch.Tensor, not '{type(made).__name__}'")
    return made


def _unpickled(cls: type[Tensor], data: Array, requires_grad: bool) -> Tensor:
    tensor = wrap(data, cls)
    tensor._requires_grad = requires_grad
    return tensor


def twin(tensor: Tensor) -> Tensor:
    """Another tensor with the same state."""
    made = wrap(tensor._data, type(tensor))
    for name in Tensor.__slots__[2:]:
        setattr(made, name, getattr(tensor, name))
    made.__dict__.update(tensor.__dict__)
    return made


def wrap_result(data: object) -> Tensor:
    """Like `wrap`, for results of NumPy functions: 0-dimensional ones come as scalars."""
    return wrap(data if type(data) is np.ndarray else plain(data))
