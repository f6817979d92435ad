import torch

x = torch.ones(3, requires_grad=True)
v = x[1:]
print(v)
v.unsqueeze_(0)
