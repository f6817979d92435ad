"""`torch.utils`: what a snippet needs of it is `torch.utils.data`."""

from gradviz.torch.utils import data

__all__ = ["data"]
