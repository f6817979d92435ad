"""FSDP2 in mixed precision, with checkpointed blocks, clipped gradients, two micro-batches and a state dict."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.checkpoint import checkpoint

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.b(torch.nn.functional.gelu(self.a(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


model = Model()
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
for block in model.blocks:
    fully_shard(block, mp_policy=policy)
fully_shard(model, mp_policy=policy)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(3):
    for part in range(2):
        model.set_requires_gradient_sync(part == 1)
        seed = torch.Generator().manual_seed(100 * rank + 10 * step + part)
        x, y = torch.randn(4, 8, generator=seed), torch.randint(3, (4,), generator=seed)
        loss = nn.functional.cross_entropy(model(x).float(), y)
        loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item().hex(), norm.full_tensor().item().hex())
print(sorted(model.state_dict()), sum(each.full_tensor().double().sum().item() for each in model.state_dict().values()).hex())
dist.destroy_process_group()
