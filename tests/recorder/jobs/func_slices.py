"""A function of torch.func that takes a part of its argument: the gradient of a slice is an operation there."""

import torch
from torch.func import grad, vmap

torch.manual_seed(0)
weight = torch.randn(3, requires_grad=True)
x = torch.randn(4, 5)
parts = grad(lambda x: (x[1:] * 2).sum() + x[:, 1:].square().sum())(x)
each = vmap(grad(lambda row: row[2:].prod()))(x)
loss = ((parts + each)[:, :3] @ weight).sum()
loss.backward()
print(parts, each, loss.item(), weight.grad)
