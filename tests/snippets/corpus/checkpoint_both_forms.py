import torch
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
import torch.nn as nn

torch.manual_seed(0)
x = torch.ones(3, requires_grad=True)


def f(x):
    return (x * 2).exp().sin()


y = checkpoint(f, x, use_reentrant=False)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
y = checkpoint(f, x, use_reentrant=True)
print(y)
y.sum().backward()
print(x.grad)
y = checkpoint(f, x)
