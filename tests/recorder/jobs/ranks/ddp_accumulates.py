"""Accumulation without exchange, a communication hook, a branch that is not always used, and a static graph."""

import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x, turn):
        return self.left(x) if turn % 2 else self.right(x) + self.left(x)


for options in ({"find_unused_parameters": True}, {"gradient_as_bucket_view": True, "bucket_cap_mb": 1}):
    torch.manual_seed(1)
    model = DistributedDataParallel(Branches(), **options)
    if "gradient_as_bucket_view" in options:
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(3):
        for part in range(2):
            x = torch.randn(4, 6, generator=torch.Generator().manual_seed(100 * rank + 10 * step + part))
            with model.no_sync() if part == 0 else contextlib.nullcontext():
                turn = step if "find_unused_parameters" in options and part else 0
                loss = model(x, turn).square().mean()
                loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
        print(step, loss.item().hex(), norm.item().hex())
dist.destroy_process_group()
