import torch

x = torch.tensor(2.0, requires_grad=True)
c = torch.tensor(3.0)
y = x * c
torch.autograd.grad(y, c)
