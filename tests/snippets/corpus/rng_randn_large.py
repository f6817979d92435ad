import torch

torch.manual_seed(0)
x = torch.randn(16)
print(x)
print(torch.randn(4, 5))
print(torch.randn(100).mean(), torch.randn(100).std())
