"""`torch.storage`: the memory behind a tensor as a list of numbers, as lessons on views and strides print it.

A storage holds nothing but a tensor over that memory. Writing into it changes the tensors that share it, without a
history and without a new version, as in PyTorch. Storages can't be made, resized or moved here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from gradviz.engine.kernel.batched import one_example
from gradviz.engine.kernel.dtypes import uint8
from gradviz.engine.kernel.memory import memory_of
from gradviz.engine.kernel.messages import called
from gradviz.engine.kernel.state import paused, warn_once
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.creation import Memory
from gradviz.engine.ops.strided import as_strided
from gradviz.engine.run.api import method

_OLD = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


class _Storage(Memory):
    """What both kinds have in common."""

    __slots__ = ()
    is_cuda: ClassVar[bool] = False

    def __new__(cls, *given: object, **named: object) -> Self:
        raise TypeError(f"a {cls.__name__} is made by a tensor in GradViz: {_MAKERS[cls.__name__]}")

    @property
    def device(self) -> object:
        """Where it lies."""
        return self._whole.device

    def __len__(self) -> int:
        return len(self._whole)

    def size(self) -> int:
        """How many elements it has."""
        return len(self._whole)

    def nbytes(self) -> int:
        """How many bytes it has."""
        return len(self) * self.element_size()

    def data_ptr(self) -> int:
        """Where it begins: equal for tensors that share memory."""
        return self._whole.data_ptr()

    def element_size(self) -> int:
        """How many bytes an element has."""
        return self._whole.element_size()

    def tolist(self) -> list[object]:
        """Return its elements."""
        with paused():
            return list(self._whole.tolist())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        lines = "\n".join(f" {each}" for each in self.tolist())
        return f"{lines}\n{self._told()} of size {len(self)}]"

    def _told(self) -> str:
        return f"[torch.storage.{type(self).__name__}(device={self.device})"


@called("torch.storage.TypedStorage")
class TypedStorage(_Storage):
    """Memory as elements of the tensor's type."""

    __slots__ = ()
    is_typed = True

    @property
    def dtype(self) -> Any:
        """The type of its elements."""
        return self._whole.dtype

    def untyped(self) -> UntypedStorage:
        """Return the same memory as bytes."""
        return untyped_storage(self._whole)

    def __getitem__(self, index: object) -> Any:
        with paused():
            return self._whole[self._at(index)].item()

    def __setitem__(self, index: object, value: object) -> None:
        with paused():
            self._whole[index if isinstance(index, slice) else self._at(index)] = value

    def _at(self, index: object) -> int:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index % len(self)

    def _told(self) -> str:
        return f"[torch.storage.{type(self).__name__}(dtype={self.dtype}, device={self.device})"


@called("torch.storage.UntypedStorage")
class UntypedStorage(_Storage):
    """Memory as bytes."""

    __slots__ = ()
    is_typed = False

    def __sizeof__(self) -> int:
        return 48 + self.nbytes()  # what `sys.getsizeof` adds to makes the 64 of PyTorch's object

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]


for _class in (TypedStorage, UntypedStorage):
    _class.__module__ = "torch.storage"
_MAKERS = {"TypedStorage": "tensor.storage()", "UntypedStorage": "tensor.untyped_storage()"}


def _whole_of(tensor: Tensor) -> Tensor:
    data = one_example(tensor._data)
    return as_strided(tensor.data, (memory_of(data).size // data.itemsize,), (1,), 0)


@method("storage")
def storage(self: Tensor) -> TypedStorage:
    """The memory of which this tensor may be a part, as elements of its type."""
    warn_once("storage", _OLD)
    made = object.__new__(TypedStorage)
    with paused():
        made._whole = _whole_of(self)
    return made


@method("untyped_storage")
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory of which this tensor may be a part, as bytes."""
    made = object.__new__(UntypedStorage)
    with paused():
        made._whole = _whole_of(self).view(uint8)
    return made
