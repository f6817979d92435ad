import torch

x = torch.linspace(0, 1, 3, requires_grad=True)
y = torch.sin(x)
for order in range(4):
    print(order, y.detach())
    (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(y)
