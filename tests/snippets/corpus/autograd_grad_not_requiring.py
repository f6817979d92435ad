import torch

x = torch.tensor(2., requires_grad=True)
c = torch.tensor(3.)
y = x * c
torch.autograd.grad(y, c)
