import torch

x = torch.arange(-2.0, 2.0, 0.5, requires_grad=True)
y = torch.sigmoid(x)
y.backward(torch.ones_like(x))
print(y.detach())
print(x.grad)
print(torch.allclose(x.grad, y.detach() * (1 - y.detach())))
