import torch
import torch.nn as nn

torch.manual_seed(1)
a, b = nn.Linear(2, 2), nn.Linear(2, 1)
x = torch.ones(1, 2)
b(a(x).detach()).sum().backward()
print(a.weight.grad, b.weight.grad)
for p in b.parameters():
    p.requires_grad = False
b.zero_grad()
b(a(x)).sum().backward()
print(a.weight.grad, b.weight.grad)
