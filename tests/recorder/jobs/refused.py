"""Layers that do not fit together: PyTorch refuses the second one."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.head(h)


torch.manual_seed(0)
net = Net()
x = torch.randn(4, 8)
print(net.body(x).sum().item())
loss = net(x).sum()
