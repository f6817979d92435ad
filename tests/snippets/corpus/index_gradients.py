import torch

x = torch.arange(6.0, requires_grad=True)
y = x[1] * 2 + x[[1, 1, 5]].sum() + x[2:4].prod() + x[x > 4].sum()
y.backward()
print(y)
print(x.grad)
