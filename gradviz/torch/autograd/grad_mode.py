"""`torch.autograd.grad_mode`: switching gradient recording off and on."""

from __future__ import annotations

from gradviz.engine.modes import (
    _Mode,
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]


class _force_original_view_tracking(_Mode):
    """Remembered only: a view's history is always made again from where it lies in its base."""

    enabled = False

    def __init__(self, mode: bool) -> None:
        self.prev, self.mode = _force_original_view_tracking.enabled, mode
        _force_original_view_tracking.enabled = mode

    def clone(self) -> _force_original_view_tracking:
        return _force_original_view_tracking(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _force_original_view_tracking.enabled = self.prev
