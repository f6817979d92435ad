import torch
import torch.nn as nn

torch.manual_seed(0)
lin = nn.Linear(2, 2)
x = torch.ones(1, 2)
y = lin(torch.tanh(lin(x)))
y.sum().backward()
print(lin.weight.grad)
net = nn.Sequential(lin, nn.Tanh(), lin)
print(len(list(net.parameters())))
print(net)
