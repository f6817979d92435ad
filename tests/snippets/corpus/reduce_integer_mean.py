import torch

x = torch.tensor([1, 2, 3, 4])
print(x.sum(), x.max(), x.float().mean())
x.mean()
