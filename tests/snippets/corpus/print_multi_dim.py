import torch

x = torch.arange(24.0).reshape(2, 3, 4)
print(x)
print(x.int())
print(x[0] - 5.5)
print(torch.arange(8).view(2, 2, 1, 2))
