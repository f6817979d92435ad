import torch

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
z = x**2 * y
gx, gy = torch.autograd.grad(z, (x, y))
print(gx, gy)
print(x.grad, y.grad)
