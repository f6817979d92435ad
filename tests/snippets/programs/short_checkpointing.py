import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
block = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))
x = torch.ones(1, 3, requires_grad=True)
y = checkpoint(block, x, use_reentrant=False)
y.sum().backward()
g = x.grad.clone()
x.grad = None
block(x).sum().backward()
print(torch.allclose(g, x.grad))
