import torch

a = torch.ones(3, 1)
b = torch.arange(4.0)
print((a * b).shape)
print(a + b)
print(torch.broadcast_shapes((3, 1), (1, 4)))
print(torch.ones(2, 1, 3).expand(2, 4, 3).shape)
x, y = torch.broadcast_tensors(a, b)
print(x.shape, y.shape)
