import torch
from torch.autograd.graph import saved_tensors_hooks

names = []
with saved_tensors_hooks(lambda t: names.append(tuple(t.shape)) or t, lambda t: t):
    x = torch.ones(3, requires_grad=True)
    y = (x**2 * 3).exp().sum()
print(names)
y.backward()
print(x.grad)
