import torch

x = torch.arange(6.0).reshape(3, 2)
b = torch.zeros(2, requires_grad=True)
y = x + b
print(y)
y.sum().backward()
print(b.grad)
