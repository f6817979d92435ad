"""`Parameter`, a tensor that a Module trains, and `Buffer`, a tensor that it keeps. Both share the memory of the tensor
that they are made from. See `modules/registry.py` for what happens when one becomes an attribute of a Module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.devices import is_meta
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.messages import SET_ON_INFERENCE
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import MARKS, MarkedType, Tensor, bare, only_tensor, wrap
from gradviz.engine.ops.convert import text
from gradviz.engine.run.api import FUNCTIONS
from gradviz.engine.run.overrides import AS_THEY_ARE, disabled

if TYPE_CHECKING:
    from gradviz.torch.nn.modules.registry import Registry


class Parameter(Tensor, metaclass=MarkedType):
    """A tensor that requires grad and registers itself when assigned to a Module. One that is made from a tensor of a
    derived class is of that class and only marked as a parameter."""

    _is_param = True
    __torch_function__ = staticmethod(disabled)

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is not None and type(data) is not Tensor and type(data) is not Parameter:
            return _marked(data, requires_grad)
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                + type(requires_grad).__name__
            )
        if data is None:
            array = np.empty(0, dtypes.default.dtype.np)
        else:
            array = data.detach()._data
        if requires_grad and array.dtype.kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made: Parameter = bare(cls)
        made._data = array
        made._inference = data is not None and data._inference
        if data is not None and data._on_meta:
            made._on_meta = True
        if requires_grad and made._inference and not state.inference:
            raise RuntimeError(SET_ON_INFERENCE)
        made._requires_grad = requires_grad
        if data is not None and not made._inference:
            made._version_counter = data._share_version()
        if state.observer is not None:
            state.observer.created(made)
        return made

    def __init__(self, data: object = None, requires_grad: bool = True) -> None:
        pass

    def __repr__(self) -> str:
        return "Parameter containing:\n" + text(self)

    __str__ = object.__str__  # by the `__repr__` of a derived class

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) in memo:
            found: Parameter = memo[id(self)]
            return found
        with paused():
            copied = self.detach().clone()
        made = type(self)(copied, self._requires_grad)
        memo[id(self)] = made
        return made

    __hash__ = Tensor.__hash__


def _marked(data: Tensor, requires_grad: bool) -> Parameter:
    """A parameter of the tensor's own class, over the same memory."""
    with paused():
        made = data.detach().requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
            f"instance of the same type, but return type {type(made).__name__} was found instead. To use the type as "
            "a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    only_tensor(made)._is_param = True
    if state.observer is not None:
        state.observer.created(made)
    return cast(Parameter, made)  # an instance of it by its mark


AS_THEY_ARE.add(Parameter)
MARKS[Parameter] = "_is_param"


class Buffer(Tensor, metaclass=MarkedType):
    """A tensor that registers itself as a buffer when assigned to a Module: it is of the class of the tensor that it is
    made from, and only marked."""

    persistent: bool
    __torch_function__ = staticmethod(disabled)

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = wrap(np.empty(0, dtypes.default.dtype.np))
        made: Any = only_tensor(data.detach().requires_grad_(data.requires_grad))
        made.persistent = persistent
        made._is_buffer = True
        return made

    def __init__(self, data: object = None, *, persistent: bool = True) -> None:
        pass

    __hash__ = Tensor.__hash__


MARKS[Buffer] = "_is_buffer"


class UninitializedTensorMixin(Tensor):
    """A tensor with a type but no shape yet."""

    cls_to_become: type[Tensor] = Tensor
    __torch_function__ = staticmethod(disabled)

    def materialize(self, shape: tuple[int, ...], device: object = None, dtype: dtypes.dtype | None = None) -> None:
        """Become an ordinary parameter or buffer of this shape."""
        kind = self._data.dtype if dtype is None else dtype.np
        self._data = np.zeros(tuple(shape), kind)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    __str__ = __repr__
    __hash__ = Tensor.__hash__


# The methods that need no shape, and operators by the method that PyTorch finds them to call.
_WITHOUT_SHAPE = """bfloat16 copy_ cpu cuda double float get_device half int is_complex is_floating_point long
register_hook register_post_accumulate_grad_hook short size to""".split()
_OPERATORS = {
    **{f"__{name}__": name for name in "add sub mul matmul neg pow".split()},
    "__truediv__": "div", "__radd__": "add", "__rmul__": "mul", "__abs__": "abs",
    **{f"__{name}__": f"__{name}__" for name in "eq ne lt le gt ge getitem len bool float int".split()},
}  # fmt: skip


def _needs_shape(name: str, method: str) -> Callable[..., NoReturn]:
    kind = "slot wrapper" if method == "__getitem__" else "method"

    def refuse(self: Tensor, *args: object, **keywords: object) -> NoReturn:
        raise ValueError(
            f"Attempted to use an uninitialized parameter in <{kind} '{method}' of 'torch._C.TensorBase' "
            "objects>. This error happens when you are using a `LazyModule` or explicitly manipulating "
            "`torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call `forward` with a dummy "
            "batch to initialize the parameters before calling torch functions"
        )

    refuse.__name__, refuse.__qualname__ = name, f"Tensor.{name}"
    return refuse


for _name in [*(each for each in dir(Tensor) if each[0] != "_" and each not in _WITHOUT_SHAPE), *_OPERATORS]:
    if isinstance(getattr(Tensor, _name), FunctionType):
        setattr(UninitializedTensorMixin, _name, _needs_shape(_name, _OPERATORS.get(_name, _name)))


def _unshaped(dtype: dtypes.dtype | None) -> Array:
    return np.empty(0, (dtype or dtypes.default.dtype).np)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet."""

    cls_to_become = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: object = None, dtype: dtypes.dtype | None = None
    ) -> UninitializedParameter:
        made: UninitializedParameter = bare(cls)
        made._data = _unshaped(dtype)
        made._requires_grad = bool(requires_grad)
        return made

    def __init__(self, requires_grad: bool = True, device: object = None, dtype: dtypes.dtype | None = None) -> None:
        pass

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self._requires_grad, dtype=self.dtype)
        found: UninitializedParameter = memo[id(self)]
        return found

    __hash__ = Tensor.__hash__


class UninitializedBuffer(UninitializedTensorMixin):
    """A buffer whose shape is not known yet."""

    persistent: bool

    def __new__(
        cls,
        requires_grad: bool = False,
        device: object = None,
        dtype: dtypes.dtype | None = None,
        persistent: bool = True,
    ) -> UninitializedBuffer:
        made: UninitializedBuffer = bare(cls)
        made._data = _unshaped(dtype)
        made.persistent = persistent
        return made

    def __init__(
        self,
        requires_grad: bool = False,
        device: object = None,
        dtype: dtypes.dtype | None = None,
        persistent: bool = True,
    ) -> None:
        pass

    __hash__ = Tensor.__hash__


def give_data(tensor: Tensor, data: Tensor) -> None:
    """`tensor.data = data`, for tensors only: no other object has an attribute set."""
    only_tensor(tensor).data = data


def is_lazy(param: object) -> bool:
    """Whether the tensor has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


# --- how layers make their parameters: empty, filled by `reset_parameters`, and reported as complete leaves ---


def memory_for(shape: tuple[int, ...], dtype: dtypes.dtype | None, device: object = None) -> Tensor:
    """Memory for a parameter or buffer."""
    if not all(type(n) is int and n >= 0 for n in shape):
        made: Tensor = FUNCTIONS["empty"](shape)  # refuses anything but sizes
        shape = made.shape
    kind = dtypes.meant(dtype) or dtypes.default.dtype
    if not isinstance(kind, dtypes.dtype):
        raise TypeError(f"empty(): argument 'dtype' must be torch.dtype, not {type(kind).__name__}")
    if device is not None or is_meta(None):
        return FUNCTIONS["empty"](shape, dtype=kind, device=device)
    return wrap(np.zeros(shape, kind.np))


def make_parameters(
    module: Registry, shapes: Mapping[str, tuple[int, ...] | None], dtype: dtypes.dtype | None, device: object = None
) -> None:
    """Register empty parameters of the given shapes; None registers an absent one."""
    with paused():
        for name, shape in shapes.items():
            module.register_parameter(name, None if shape is None else Parameter(memory_for(shape, dtype, device)))


def fill_parameters(module: Registry, reset: Callable[[], object]) -> None:
    """Run `reset_parameters` unobserved, then report the parameters."""
    with paused():
        reset()
    if state.observer is not None:
        for param in module.parameters():  # also of an inner layer that was made unobserved
            state.observer.created(param)
