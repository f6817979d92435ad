import torch

x = torch.ones(4, requires_grad=True)
y = x * 3
y[1] = 100
print(y)
y.sum().backward()
print(x.grad)

x.grad = None
y = x * 3
y[y > 2] = 0
print(y)
y.sum().backward()
print(x.grad)
