import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x)
print(g, g.requires_grad)
try:
    torch.autograd.grad(g, x)
except RuntimeError as e:
    print(e)

y = x**3
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
(g2,) = torch.autograd.grad(g, x)
print(g2)

y = 2 * x
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
torch.autograd.grad(g, x)
