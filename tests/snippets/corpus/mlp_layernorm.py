import torch
import torch.nn as nn

torch.manual_seed(0)
ln = nn.LayerNorm(4)
x = torch.tensor([[1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 2.0, 6.0]], requires_grad=True)
y = ln(x)
print(y)
(y**2 * torch.arange(4.0)).sum().backward()
print(x.grad)
print(ln.weight.grad, ln.bias.grad)
