import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

import sys

x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
print(x.grad)
sys.exit(3)
