import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in net[0].parameters():
    p.requires_grad_(False)
net(torch.ones(2, 2)).sum().backward()
for name, p in net.named_parameters():
    print(name, p.requires_grad, p.grad)
