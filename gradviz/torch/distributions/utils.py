"""Small helpers of the distributions: parameters as tensors of one shape, probabilities and logits, triangles."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.modes import enable_grad
from gradviz.engine.kernel.tensor import Tensor
from gradviz.engine.ops.facts import finfo
from gradviz.engine.run.api import FUNCTIONS as T
from gradviz.torch.nn import functional as F

Value = TypeVar("Value")

euler_constant = 0.57721566490153286060


def broadcast_all(*values: object) -> tuple[Tensor, ...]:
    """Broadcast numbers and tensors to tensors of one shape."""
    if not all(isinstance(each, (Tensor, int, float)) for each in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    like = next((each for each in values if isinstance(each, Tensor)), None)
    kind = dtypes.get_default_dtype() if like is None else like.dtype
    made = [each if isinstance(each, Tensor) else T["tensor"](each, dtype=kind) for each in values]
    return tuple(T["broadcast_tensors"](*made))


def standard_normal(shape: object, like: Tensor) -> Tensor:
    """Normal numbers in the type of a parameter."""
    return T["normal"](T["zeros"](shape, dtype=like.dtype), T["ones"](shape, dtype=like.dtype))


def sum_rightmost(value: Tensor, count: int) -> Tensor:
    """The sum over the last `count` dimensions."""
    return value if count == 0 else value.reshape((*value.shape[:-count], -1)).sum(-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Keep probabilities away from 0 and 1, so that their logarithms are finite."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds of binary events, otherwise logarithms."""
    clamped = clamp_probs(probs)
    return T["log"](clamped) - T["log1p"](-clamped) if is_binary else T["log"](clamped)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """The probabilities for given logits."""
    return T["sigmoid"](logits) if is_binary else F.softmax(logits, dim=-1)


class lazy_property(Generic[Value]):
    """A method whose value is computed on first access and cached."""

    def __init__(self, wrapped: Callable[[Any], Value]) -> None:
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # type: ignore[arg-type]

    @overload
    def __get__(self, instance: None, owner: object = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: object = None) -> Value: ...
    def __get__(self, instance: object, owner: object = None) -> Value | Self:
        if instance is None:
            return self
        wrapped = self.wrapped
        name = wrapped.__name__
        if str.startswith(name, "_") or isinstance(instance, Tensor):  # attributes of Python and PyTorch
            raise AttributeError(f"a lazy property can't be called '{name}'")
        with enable_grad():
            value = wrapped(instance)
        instance.__dict__[name] = value
        return value


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """A vector's numbers as the lower triangle of a matrix."""
    n = int((-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2)
    matrix = T["zeros"]((*vec.shape[:-1], n, n), dtype=vec.dtype)
    rows, columns = T["tril_indices"](n, n, diag)
    matrix[..., rows, columns] = vec
    return matrix


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangle of a matrix as a vector."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = T["tril_indices"](n, n, diag)
    return mat[..., rows, columns]
