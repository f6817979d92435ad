import torch

x = torch.arange(8.0, requires_grad=True)
a, b = x.chunk(2)
print(a, b)
p, q, r = x.split([3, 3, 2])
print(p, r)
y = torch.cat([a * 1, b * 2])
z = torch.stack([a, b], dim=1)
print(y)
print(z)
(y.sum() + z[:, 1].sum()).backward()
print(x.grad)
