import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

x = torch.randn(3, requires_grad=True)
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
penalty = (g.norm() - 1) ** 2
penalty.backward()
print([each.hex() for each in x.grad.tolist()])
