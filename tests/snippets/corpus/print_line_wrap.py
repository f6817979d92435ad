import torch

print(torch.arange(40.0))
print(torch.arange(40) * 1000)
print(torch.linspace(-1, 1, 21))
print(torch.arange(60.0).reshape(2, 30) / 7)
