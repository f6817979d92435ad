import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x)
print(g)
torch.autograd.grad(y, x)
