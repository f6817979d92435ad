import torch

x = torch.ones(3, 1, requires_grad=True)
y = torch.arange(4.0, requires_grad=True)
s = torch.tensor(2.0, requires_grad=True)
z = (x * y + s) ** 2
z.sum().backward()
print(x.grad)
print(y.grad)
print(s.grad)
