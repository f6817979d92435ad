"""`torch.autograd.profiler`: the older names of `torch.profiler`."""

from __future__ import annotations

import contextlib

from gradviz.torch.profiler import profile, record_function

__all__ = ["emit_itt", "emit_nvtx", "profile", "record_function"]


class emit_nvtx(contextlib.nullcontext[None]):
    """Accepted: there is no GPU to mark."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        super().__init__()


emit_itt = emit_nvtx
