"""`torch.utils`: snippets use `torch.utils.data`, `torch.utils.checkpoint` and `torch.utils.hooks` from it."""

from gradviz.engine.kernel.graph import RemovableHandle
from gradviz.torch.pytorch_names import rehome
from gradviz.torch.utils import checkpoint, data

rehome(__name__, {"hooks": [RemovableHandle]})

__all__ = ["checkpoint", "data", "hooks"]
