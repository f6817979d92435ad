# what a backward hook of a module may return, and what the errors say
import torch
from torch import nn


def attempt(rows, hook, before=False):
    layer = nn.Linear(2, 2)
    nn.init.ones_(layer.weight)
    (layer.register_full_backward_pre_hook if before else layer.register_full_backward_hook)(hook)
    x = torch.ones(rows, 2, requires_grad=True)
    try:
        layer(x).sum().backward()
        print(x.grad)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)


for rows in (1, 4):
    attempt(rows, lambda m, gi, go: gi[0] * 2)
    attempt(rows, lambda m, gi, go: (gi[0] * 2,))
    attempt(rows, lambda m, gi, go: [gi[0] * 2])
    attempt(rows, lambda m, gi, go: 3)
    attempt(rows, lambda m, gi, go: (3,))
    attempt(rows, lambda m, gi, go: ())
    attempt(rows, lambda m, gi, go: (None,))
    attempt(rows, lambda m, gi, go: (torch.ones(3),))
    attempt(rows, lambda m, go: go[0] * 2, before=True)
    attempt(rows, lambda m, go: [go[0] * 2], before=True)
    attempt(rows, lambda m, go: 3, before=True)
    attempt(rows, lambda m, go: (go[0], go[0]), before=True)
for kind in (torch.complex64, torch.bool, torch.bfloat16, torch.float64):
    y = torch.ones(2, requires_grad=True) * 1
    y.register_hook(lambda g, kind=kind: g.to(kind))
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(e)
