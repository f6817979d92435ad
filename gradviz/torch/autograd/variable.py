"""`torch.autograd.variable`: the former name of tensors."""

from __future__ import annotations

from gradviz.torch.autograd import Variable

__all__ = ["Variable"]
