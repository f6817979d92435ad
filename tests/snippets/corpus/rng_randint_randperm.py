import torch

torch.manual_seed(7)
print(torch.randint(0, 10, (5,)))
print(torch.randint(5, (2, 3)))
print(torch.randperm(8))
print(torch.randint(-3, 3, (4,)))
