import torch

print(torch.tensor([float("nan"), 1.0]))
print(torch.tensor([float("inf"), -1.0]))
print(torch.tensor([float("-inf"), float("nan"), 1e-9]))
print(torch.tensor(float("nan")))
print(torch.tensor([1.0, 2.0]) / 0)
print(torch.log(torch.tensor([0.0, 1.0, -1.0])))
