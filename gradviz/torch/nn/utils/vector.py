"""Parameters as one long vector and back."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.engine.api import FUNCTIONS
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn.parameter import give_data


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened and joined."""
    return FUNCTIONS["cat"]([param.view(-1) for param in parameters])  # type: ignore[no-any-return]


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make pieces of a vector the data of the parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec)}")
    start = 0
    for param in parameters:
        count = param.numel()
        give_data(param, vec[start : start + count].view_as(param).data)
        start += count
