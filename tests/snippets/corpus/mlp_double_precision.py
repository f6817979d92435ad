import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Linear(2, 1).double()
print(net.weight.dtype)
out = net(torch.ones(1, 2, dtype=torch.float64))
print(out)
net.float()
print(net.weight.dtype, net(torch.ones(1, 2)).dtype)
