import torch

x = torch.linspace(0, 1, 4, requires_grad=True)
(g,) = torch.autograd.grad(x**2, x)
