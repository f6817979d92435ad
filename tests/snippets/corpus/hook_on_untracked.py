import torch

x = torch.ones(2)
x.register_hook(print)
