import torch


def bad(g):
    raise ValueError("stop here")


x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(bad)
y.sum().backward()
