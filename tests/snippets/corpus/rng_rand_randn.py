import torch

torch.manual_seed(0)
print(torch.rand(3))
print(torch.randn(3))
print(torch.rand(2, 2))
torch.manual_seed(42)
print(torch.randn(2, 3))
print(torch.rand(1))
torch.manual_seed(0)
print(torch.rand(3))
