"""`torch.utils`: what a snippet needs of it is `torch.utils.data` and `torch.utils.checkpoint`."""

from gradviz.torch.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
