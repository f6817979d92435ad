import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**2
(g1,) = torch.autograd.grad(y, x, create_graph=True)
(g2,) = torch.autograd.grad(y, x)
print(g1, g2)
