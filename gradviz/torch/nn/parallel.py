"""`import torch.nn.parallel`, which many scripts write and few use: `DataParallel` for one CPU, and a sentence for what
needs several processes or devices. Next: `modules/parallel.py`."""

from gradviz.torch.nn.modules.parallel import DataParallel

__all__ = ["DataParallel"]
