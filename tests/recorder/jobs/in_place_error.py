import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

x = torch.ones(3, requires_grad=True)
y = x.exp()
z = y * 2
y.add_(1)
print("so far")
z.sum().backward()
