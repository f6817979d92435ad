"""Dropout layers."""

from __future__ import annotations

from gradviz.engine.tensor import Tensor
from gradviz.torch.nn import functional as F
from gradviz.torch.nn.modules.module import Module


class _Dropout(Module):
    function = ""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return vars(F)[self.function](input, self.p, self.training, self.inplace)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zeroes elements with probability p while training, and scales the rest by 1 / (1 - p)."""

    function = "dropout"


class Dropout1d(_Dropout):
    """Zeroes whole channels."""

    function = "dropout1d"


class Dropout2d(_Dropout):
    """Zeroes whole channels."""

    function = "dropout2d"


class Dropout3d(_Dropout):
    """Zeroes whole channels."""

    function = "dropout3d"


class AlphaDropout(_Dropout):
    """Dropout that keeps mean and variance of self-normalising networks."""

    function = "alpha_dropout"


class FeatureAlphaDropout(_Dropout):
    """As AlphaDropout, for whole channels."""

    function = "feature_alpha_dropout"
