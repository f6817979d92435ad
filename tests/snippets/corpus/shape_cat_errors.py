import torch

try:
    torch.cat([torch.ones(2, 2), torch.ones(2, 3)])
except RuntimeError as e:
    print(e)
try:
    torch.stack([torch.ones(2), torch.ones(3)])
except RuntimeError as e:
    print(e)
try:
    torch.cat([])
except (RuntimeError, ValueError) as e:
    print(e)
torch.cat([torch.ones(2), torch.ones(2)], dim=1)
