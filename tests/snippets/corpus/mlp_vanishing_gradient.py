import torch
import torch.nn as nn

torch.manual_seed(0)
layers = []
for _ in range(6):
    layers += [nn.Linear(4, 4), nn.Sigmoid()]
net = nn.Sequential(*layers)
net(torch.ones(1, 4)).sum().backward()
for i in range(0, 12, 2):
    print(i, f"{net[i].weight.grad.norm().item():.2e}")
