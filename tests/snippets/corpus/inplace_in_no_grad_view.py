import torch

base = torch.ones(4, requires_grad=True)
with torch.no_grad():
    v = base[:2]
    v.add_(1)
print(base, v.requires_grad)
