import torch

x = torch.ones(1, 3).expand(2, 3)
x.add_(1)
