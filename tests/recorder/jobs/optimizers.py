"""Every optimizer of torch.optim that takes dense gradients."""

import torch
from torch import nn

for name in sorted(n for n in dir(torch.optim) if isinstance(getattr(torch.optim, n), type)):
    kind = getattr(torch.optim, name)
    if name in ("Optimizer", "SparseAdam"):
        continue
    torch.manual_seed(0)
    net = nn.Linear(4, 3, bias=name != "Muon")
    try:
        opt = kind(net.parameters(), lr=0.01)
    except Exception as e:
        print(name, type(e).__name__)
        continue
    x = torch.randn(5, 4)

    def closure():
        opt.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        return loss

    for _ in range(2):
        loss = opt.step(closure)
    print(name, loss.item(), sum(p.abs().sum() for p in net.parameters()).item())
