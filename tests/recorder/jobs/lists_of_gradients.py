"""Operations that write to a whole list of tensors: unscaled and clipped gradients, parameters of no optimizer."""

import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for i in range(2):
    opt.zero_grad()
    loss = net(torch.ones(2, 3)).square().sum()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    print([round(p.grad.norm().item(), 5) for p in net.parameters()])
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    print([round(p.grad.norm().item(), 5) for p in net.parameters()])
    scaler.step(opt)
    scaler.update()
torch._foreach_mul_([p.grad for p in net.parameters()], 2.0)
with torch.no_grad():
    torch._foreach_add_(list(net.parameters()), 1.0)
print([round(p.grad.norm().item(), 5) for p in net.parameters()], [round(p.norm().item(), 5) for p in net.parameters()])
