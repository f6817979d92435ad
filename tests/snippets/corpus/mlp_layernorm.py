import torch
import torch.nn as nn

torch.manual_seed(0)
ln = nn.LayerNorm(4)
x = torch.tensor([[1., 2., 3., 4.], [2., 2., 2., 6.]], requires_grad=True)
y = ln(x)
print(y)
(y ** 2 * torch.arange(4.)).sum().backward()
print(x.grad)
print(ln.weight.grad, ln.bias.grad)
