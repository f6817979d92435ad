import torch

torch.manual_seed(0)
print(torch.rand(2, dtype=torch.float64))
print(torch.randn(2, dtype=torch.float64))
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
print(torch.randn(3))
print(torch.rand(2))
