"""`LazyLinear`, `LazyConv1d/2d/3d`: layers that learn their input size from the first input. Until then their
parameters have no shape."""

from __future__ import annotations

from typing import Any

from gradviz.engine.dtypes import dtype as DType
from gradviz.engine.tensor import Tensor
from gradviz.torch.nn.modules import creating
from gradviz.torch.nn.modules.conv import Conv1d, Conv2d, Conv3d, _Conv
from gradviz.torch.nn.modules.linear import Linear
from gradviz.torch.nn.modules.module import Module
from gradviz.torch.nn.parameter import UninitializedParameter


class LazyLinear(Linear):
    """Becomes a Linear when it is called first."""

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: DType | None = None) -> None:
        Module.__init__(self)
        self.in_features = 0
        self.out_features = out_features
        self._dtype = dtype
        self.register_parameter("weight", UninitializedParameter())
        self.register_parameter("bias", UninitializedParameter() if bias else None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.initialize_parameters(args[0])
        return Module.__call__(self, *args, **kwargs)

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters for this input."""
        self.in_features = int(input.shape[-1])
        for name, shape in (("weight", (self.out_features, self.in_features)), ("bias", (self.out_features,))):
            param = getattr(self, name)
            if param is not None:
                param.materialize(creating.zeros(shape, self._dtype))
        del self._dtype
        self.__class__ = Linear  # type: ignore[assignment]
        creating.fill(self, self.reset_parameters)


class _LazyConv(_Conv):
    becomes: type[_Conv] = _Conv

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, out_channels, kernel_size, *args, **kwargs)

    def _create(self, bias: bool, dtype: DType | None) -> None:
        self._dtype = dtype
        self.register_parameter("weight", UninitializedParameter())
        self.register_parameter("bias", UninitializedParameter() if bias else None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.initialize_parameters(args[0])
        return Module.__call__(self, *args, **kwargs)

    def initialize_parameters(self, input: Tensor) -> None:
        """Make the parameters for this input."""
        batched = input.ndim == self.dims + 2
        self.in_channels = int(input.shape[1 if batched else 0])
        self._check()
        for name, shape in (("weight", self.weight_shape()), ("bias", (self.out_channels,))):
            param = getattr(self, name)
            if param is not None:
                param.materialize(creating.zeros(shape, self._dtype))
        del self._dtype
        self.__class__ = self.becomes  # type: ignore[assignment]
        creating.fill(self, self.reset_parameters)


class LazyConv1d(_LazyConv):
    """Becomes a Conv1d when it is called first."""

    dims, becomes = 1, Conv1d


class LazyConv2d(_LazyConv):
    """Becomes a Conv2d when it is called first."""

    dims, becomes = 2, Conv2d


class LazyConv3d(_LazyConv):
    """Becomes a Conv3d when it is called first."""

    dims, becomes = 3, Conv3d
