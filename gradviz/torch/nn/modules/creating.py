"""How layers make their parameters: empty, filled by `reset_parameters`, and reported to the observer as whole leaves,
not as the draws that filled them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.torch.nn.modules.registry import Registry
from gradviz.torch.nn.parameter import Parameter


def zeros(shape: tuple[int, ...], dtype: dtypes.dtype | None) -> Tensor:
    """Memory for a parameter or buffer."""
    return wrap(np.zeros(shape, (dtype or dtypes.default.dtype).np))


def make(module: Registry, shapes: Mapping[str, tuple[int, ...] | None], dtype: dtypes.dtype | None) -> None:
    """Register empty parameters of the given shapes; None registers an absent one."""
    with paused():
        for name, shape in shapes.items():
            module.register_parameter(name, None if shape is None else Parameter(zeros(shape, dtype)))


def fill(module: Registry, reset: Callable[[], Any]) -> None:
    """Run `reset_parameters` unobserved, then report the parameters."""
    with paused():
        reset()
    if state.observer is not None:
        for param in module.parameters():  # also of a layer inside that was made unobserved
            state.observer.created(param)
