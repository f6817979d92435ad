"""`torch.nn.parallel`, which many scripts import and few use: `DataParallel`, which on one CPU calls the module that it
holds, and a sentence for what needs several processes or devices."""

from __future__ import annotations

from typing import Any

from gradviz.torch.nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Holds a module under the name `module`; there is only one device to share the batch among."""

    module: Module

    def __init__(self, module: Module, device_ids: object = None, output_device: object = None, dim: int = 0) -> None:
        super().__init__()
        self.dim = dim
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: object, **kwargs: object) -> Any:
        return self.module(*inputs, **kwargs)
