"""Parts of PyTorch from before version 0.4 that old scripts still use: `torch.FloatTensor([1, 2])` and its relatives,
which make an ordinary tensor of their element type, and attributes of tensors that no longer do anything; of
`torch.autograd`, tensors under their former name, custom functions that declare that they write to their inputs, and
the one function of `torch.autograd._functions` that Python code uses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import NO_CUDA_TYPE, STANDING
from gradviz.engine.kernel.messages import called
from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.creation import legacy_tensor
from gradviz.engine.run.function import Function


@called("torch.tensortype")
class tensortype(type):
    dtype: dtypes.dtype
    is_cuda: bool

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.is_cuda == cls.is_cuda

    def __repr__(cls) -> str:
        return f"<class '{'torch.cuda' if cls.is_cuda else 'torch'}.{cls.__name__}'>"


def _legacy(target: dtypes.dtype, is_cuda: bool = False) -> tensortype:
    name = f"{target.title}Tensor"

    def new(cls: object, *args: object, **kwargs: object) -> Tensor:
        if is_cuda and "cuda" not in STANDING.kinds:
            raise TypeError(NO_CUDA_TYPE.format(f"torch.cuda.{name}"))
        return legacy_tensor(target, *args, **kwargs)

    return tensortype(name, (), {"__new__": new, "dtype": target, "is_cuda": is_cuda})


FloatTensor = _legacy(dtypes.float32)
DoubleTensor = _legacy(dtypes.float64)
HalfTensor = _legacy(dtypes.float16)
LongTensor = _legacy(dtypes.int64)
IntTensor = _legacy(dtypes.int32)
ShortTensor = _legacy(dtypes.int16)
ByteTensor = _legacy(dtypes.uint8)
BoolTensor = _legacy(dtypes.bool_)
CharTensor = _legacy(dtypes.int8)
BFloat16Tensor = _legacy(dtypes.bfloat16)
_OF_CPU = [FloatTensor, DoubleTensor, HalfTensor, LongTensor, IntTensor]
_OF_CPU += [ShortTensor, ByteTensor, BoolTensor, CharTensor, BFloat16Tensor]
OF_CUDA: dict[str, object] = {each.__name__: _legacy(each.dtype, is_cuda=True) for each in _OF_CPU}


def _volatile(self: Tensor) -> bool:
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


def _set_volatile(self: Tensor, value: object) -> None:
    warnings.warn(
        "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", UserWarning, stacklevel=2
    )


def _set_grad_fn(self: Tensor, value: object) -> None:
    if value is not None:
        raise RuntimeError("_grad_fn can be only set to None")
    self.detach_()


def _refuse(message: str) -> Callable[[Tensor], NoReturn]:
    def delete(self: Tensor) -> NoReturn:
        raise RuntimeError(message)

    return delete


def _registered(tensor: Tensor) -> Any:
    """The hooks of a tensor, by their numbers; None if there are none."""
    node = tensor.grad_fn if tensor._accumulator is None else tensor._accumulator
    hooks = None if node is None else node.tensor_hooks
    return None if hooks is None else hooks.get(tensor._output_nr)


def _set_hooks(tensor: Tensor, value: object) -> None:
    """Set another dictionary of hooks; None removes the registered ones."""
    registered = _registered(tensor)
    if value is None and registered is not None:
        registered.clear()
    tensor.__dict__[_HOOKS] = value


_HOOKS = "_given_hooks"
for _name, _known in {
    "volatile": property(_volatile, _set_volatile),
    "_grad_fn": property(
        lambda self: self.grad_fn, _set_grad_fn, _refuse("Deletion of _grad_fn not allowed. Detach tensor instead!")
    ),
    "_backward_hooks": property(
        lambda self: _registered(self) if (given := self.__dict__.get(_HOOKS)) is None else given,
        lambda self, value: _set_hooks(self, value),
        _refuse("Deletion of _backwards_hooks not allowed!"),
    ),
}.items():
    setattr(Tensor, _name, _known)


class _Engine:
    """The part of the backward engine that custom functions call."""

    def queue_callback(self, callback: Callable[[], object]) -> None:
        """Call the function at the end of the running backward pass."""
        if state.running is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.running.callbacks.append(callback)


class _VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """As before PyTorch 0.4: returns the tensor itself."""

    _execution_engine = _Engine()

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        made = data.detach()
        if requires_grad:
            made.requires_grad_()
        return made


class InplaceFunction(Function):
    """For functions that may write to their inputs; today every function may."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class Resize(Function):
    """The same elements in another shape."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: tuple[int, ...]) -> Tensor:
        """Return the tensor in the new shape, which must have the same number of elements."""
        ctx.input_sizes = tensor.size()
        wanted = math.prod(sizes)
        if tensor.numel() != wanted:
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({wanted} elements in total), but the given tensor "
                f"has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). autograd's resize can "
                "only change the shape of a given tensor, while preserving the number of elements. "
            )
        return tensor.contiguous().view(sizes)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        """Return the gradient in the former shape."""
        return grad_output.contiguous().view(ctx.input_sizes), None
