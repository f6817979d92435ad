"""`torch.overrides`: for functions of a snippet's own that look for `__torch_function__` as PyTorch's do, and modes in
which all functions are asked about. How functions find it is in `gradviz.engine.run.overrides`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradviz.engine.kernel.state import state
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.run.api import FFT, FUNCTIONAL, FUNCTIONS, LINALG, SPECIAL
from gradviz.engine.run.overrides import (
    Accessor,
    Asking,
    Keywords,
    as_subclass,
    ask,
    close_mode,
    deciding,
    install,
    make_subclass,
    method_of,
    open_mode,
    overrides,
    with_tensor,
)
from gradviz.engine.run.signatures import refusal


def _as_subclass(self: Tensor, *args: type, **named: type) -> Tensor:
    """The same memory and history as a tensor of another class."""
    if refused := refusal("Tensor.as_subclass", (self, *args), named):
        raise refused
    return as_subclass(self, *args, **named)


_as_subclass.__name__, _as_subclass.__qualname__ = "as_subclass", "Tensor.as_subclass"
setattr(Tensor, _as_subclass.__name__, _as_subclass)
Tensor._make_subclass = staticmethod(make_subclass)  # type: ignore[attr-defined]
install()


def has_torch_function(relevant_args: Iterable[object]) -> bool:
    """Whether a class of one of the arguments says for itself what functions do."""
    return state.overriding and any(type(each) is not Tensor and overrides(type(each)) for each in relevant_args)


def has_torch_function_unary(obj: object) -> bool:
    """The same of one argument."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: object) -> bool:
    """The same of arguments one by one."""
    return has_torch_function(args)


def handle_torch_function(
    public_api: Callable[..., object], relevant_args: Iterable[object], *args: object, **kwargs: object
) -> object:
    """Ask the classes of the relevant arguments what the function does with these arguments."""
    relevant = [*relevant_args]
    found = deciding(relevant)
    if not found:
        raise TypeError(f"no implementation found for {public_api.__module__}.{public_api.__name__}")
    kinds, name = with_tensor(found, relevant), f"{public_api.__module__}.{public_api.__name__}"
    return ask(public_api, name, found, kinds, args, kwargs)


def is_tensor_like(inp: object) -> bool:
    """Whether functions take it for a tensor: it is one, or its class says what they do with it."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def is_tensor_method_or_property(func: object) -> bool:
    """Whether a function that a class is asked about belongs to tensors."""
    return isinstance(func, Accessor) or any(func is each for each in vars(Tensor).values())


def resolve_name(f: object) -> str | None:
    """The full name of a function that a class or mode is asked about."""
    if isinstance(f, Accessor):
        return None if f.__name__ == "__delete__" else f.full_name
    name = getattr(f, "__name__", None)
    if type(name) is str and method_of(name) is f:
        return f"torch.Tensor.{name}"
    places = {"torch": FUNCTIONS, "torch.nn.functional": FUNCTIONAL, "torch.linalg": LINALG}
    places |= {"torch.fft": FFT, "torch.special": SPECIAL}
    found = next(((at, key) for at, table in places.items() for key, each in table.items() if each is f), None)
    if found is None:
        return None
    at, key = found
    return f"{_HOMES.get(key, at) if at == 'torch' else at}.{key}"


# Functions of `torch` that are named after another module, in which PyTorch finds them, too.
_HOMES = dict.fromkeys(
    """atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul
    einsum istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive
    unravel_index""".split(),
    "torch.functional",
) | dict.fromkeys(
    """adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
    conv_transpose2d conv_transpose3d cosine_similarity hardshrink pairwise_distance pdist pixel_shuffle
    pixel_unshuffle prelu relu_ rrelu_ selu_ threshold_""".split(),
    "torch.nn.functional",
)


class TorchFunctionMode:
    """While it is open, it is asked what every function does."""

    def __torch_function__(
        self, func: Asking, types: object, args: tuple[object, ...] = (), kwargs: Keywords | None = None
    ) -> object:
        raise NotImplementedError

    def __enter__(self) -> TorchFunctionMode:
        if not isinstance(self, TorchFunctionMode):
            raise TypeError(f"expected a 'TorchFunctionMode', not '{type(self).__name__}'")
        open_mode(self)
        return self

    def __exit__(self, *_: object) -> None:
        close_mode()


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(
        self, func: Asking, types: object, args: tuple[object, ...] = (), kwargs: Keywords | None = None
    ) -> object:
        return func(*args, **(kwargs or {}))
