"""A block whose matrices are split between two processes, by columns and by rows, then one on sequence shards."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.distributed.tensor import Replicate, Shard

dist.init_process_group("gloo")
torch.manual_seed(0)
mesh = init_device_mesh("cpu", (2,))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x):
        return self.down(torch.relu(self.up(self.norm(x))))


plain = parallelize_module(Block(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
sequence = parallelize_module(
    Block(),
    mesh,
    {
        "norm": SequenceParallel(),
        "up": ColwiseParallel(input_layouts=Shard(1)),
        "down": RowwiseParallel(output_layouts=Replicate()),
    },
)
sequence = parallelize_module(sequence, mesh, PrepareModuleInput(input_layouts=Replicate(), desired_input_layouts=Shard(1), use_local_output=False))
for block in (plain, sequence):
    optimizer = torch.optim.AdamW(block.parameters(), lr=0.01, foreach=False)
    for step in range(3):
        x = torch.randn(2, 4, 8, generator=torch.Generator().manual_seed(step))
        loss = (block(x) - 1).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(step, loss.item().hex())
dist.destroy_process_group()
