import torch

torch.manual_seed(0)
a = torch.randn(1, 2)
b = torch.randn(2, 1)
print(a)
print(b)
print(torch.mm(a, b))
print((a @ b).shape)
