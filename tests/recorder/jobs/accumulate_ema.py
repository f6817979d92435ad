"""Gradient accumulation with no_sync-like micro batches, EMA copies (own, and AveragedModel), SWA, evaluation."""

import copy, torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.SiLU(), nn.Linear(8, 1))
mine = copy.deepcopy(net).requires_grad_(False)
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
opt = torch.optim.RMSprop(net.parameters(), 1e-2)
data = [torch.randn(6, 4) for _ in range(6)]
for epoch in range(2):
    total = 0.0
    for n, x in enumerate(data):
        loss = (net(x).squeeze() - x.sum(1)).abs().mean() / 2
        loss.backward()
        total += loss.item()
        if n % 2:
            opt.step()
            opt.zero_grad()
            ema.update_parameters(net)
            with torch.no_grad():
                for a, b in zip(mine.parameters(), net.parameters()):
                    a.mul_(0.9).add_(b, alpha=0.1)
                for a, b in zip(mine.buffers(), net.buffers()):
                    a.copy_(b)
    net.eval()
    with torch.inference_mode():
        val = (net(data[0]).squeeze() - data[0].sum(1)).abs().mean()
    net.train()
    print(epoch, total, val.item(), mine(data[0]).sum().item())
update_bn(data, ema)
print(ema(data[0]).sum().item())
