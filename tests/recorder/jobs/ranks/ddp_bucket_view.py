"""Two ranks under torchrun."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
model = DDP(net, gradient_as_bucket_view=True)
opt = torch.optim.AdamW(model.parameters(), lr=0.05)
torch.manual_seed(rank)
for step in range(3):
    x = torch.randn(6, 4)
    y = x.sum(1, keepdim=True)
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    if rank == 0:
        print(step, total.item() / world)
dist.destroy_process_group()
