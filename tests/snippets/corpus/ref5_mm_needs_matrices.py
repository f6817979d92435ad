import torch

torch.manual_seed(0)
a = torch.randn(2)
b = torch.randn(2, 1)
print(a.shape, b.shape)
print(torch.mm(a, b))
