import torch
from torch import nn

torch.manual_seed(0)
lin = nn.Linear(4, 4)
mask = (lin.weight.abs() > lin.weight.abs().median()).float()
lin.weight.register_hook(lambda g: g * mask)
with torch.no_grad():
    lin.weight.mul_(mask)
lin(torch.ones(1, 4)).sum().backward()
print(
    int(mask.sum()),
    (lin.weight == 0).sum().item(),
    (lin.weight.grad == 0).sum().item(),
    f"sparsity {1 - mask.mean():.0%}",
)
