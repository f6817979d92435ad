"""`torch.autograd.grad_mode`: switching gradient recording off and on."""

from __future__ import annotations

from gradviz.engine.modes import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]
