import torch

x = torch.ones(2, 3, requires_grad=True)
y = x * 2
row = y[0]
row.mul_(10)
print(y)
print(row)
print(y.grad_fn, row.grad_fn)
y.sum().backward()
print(x.grad)
