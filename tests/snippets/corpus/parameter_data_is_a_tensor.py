import torch, torch.nn as nn

w = nn.Linear(1, 1).weight
d = w.data
print(type(d), isinstance(d, nn.Parameter), d.requires_grad, str(d)[:9])
