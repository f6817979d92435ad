import torch

a = torch.tensor([1, 2, 3])
a += 1
print(a)
a += 1.5
