import torch

print(torch.zeros(2), torch.ones(2, 2), torch.full((2,), 7.0), torch.full((2,), 7))
print(torch.arange(1, 10, 3), torch.arange(0, 1, 0.25), torch.linspace(0, 1, 3))
print(torch.eye(2), torch.empty(0), torch.zeros_like(torch.ones(2, dtype=torch.int64)))
print(torch.tensor([1, 2.5]), torch.tensor([[1, 2], [3, 4]]).dtype)
print(torch.logspace(0, 2, 3), torch.meshgrid(torch.arange(2), torch.arange(2), indexing="ij"))
