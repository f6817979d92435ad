import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

x = torch.ones(3, requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()
