import torch

x = torch.linspace(0, 1, 4, requires_grad=True)
y = x**2
(g,) = torch.autograd.grad(y, x, grad_outputs=torch.tensor([1.0, 0.0, 2.0, 0.0]))
print(g)
