import torch

x = torch.arange(12.0, requires_grad=True).reshape(3, 4)
print(x[1])
print(x[1, 2])
print(x[:, 1])
print(x[0:2, ::2])
print(x[-1, -1])
print(x[None, 0].shape, x[..., 0].shape)
print(x[[0, 2]])
print(x[[0, 1], [1, 2]])
print(x[x > 8])
