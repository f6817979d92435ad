import torch
import torch.nn as nn

lin = nn.Linear(2, 2)
with torch.no_grad():
    lin.weight.fill_(1.0)
    lin.bias.fill_(-10.0)
x = torch.tensor([[1.0, 2.0]])
y = torch.relu(lin(x))
print(y)
y.sum().backward()
print(lin.weight.grad, lin.bias.grad)
