"""`torch.utils`: what a snippet needs of it is `torch.utils.data`, `torch.utils.checkpoint` and `torch.utils.hooks`."""

from gradviz.torch.utils import checkpoint, data, hooks

__all__ = ["checkpoint", "data", "hooks"]
