import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

from torch.func import grad, jacrev, vmap


def f(x):
    return (x.sin() * x).sum()


x = torch.randn(4, requires_grad=True)
print(grad(f)(x).sum().item().hex(), vmap(grad(f))(torch.ones(2, 3)).sum().item().hex())
print(jacrev(lambda z: z**2)(x.detach()).sum().item().hex())
f(x).backward()
print(x.grad.sum().item().hex())
