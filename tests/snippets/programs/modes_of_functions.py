"""Modes that are asked what every function does, as on PyTorch's page "Extending PyTorch"."""

import torch
from torch.overrides import TorchFunctionMode, resolve_name


class FunctionLog(TorchFunctionMode):
    def __torch_function__(self, func, types, args, kwargs=None):
        print(f"Function Log: {resolve_name(func)}(*{args}, **{kwargs})")
        return func(*args, **(kwargs or {}))


torch.manual_seed(0)


def f():
    a = torch.rand(3, requires_grad=True)
    b = a * 2
    b.sum().backward()
    return a


print("TorchFunctionMode logging:")
with FunctionLog():
    a = f()
    c = torch.nn.functional.relu(a) + 1 - a
    d = 2 - c
    e = c @ d
    g = c[0]
    -c
    c == d
    torch.stack([c, d])
    abs(c)
    float(g)
    2**c
    c // 2
print(a.grad, a + 1)


class Up(TorchFunctionMode):
    def __init__(self, n):
        self.n = n

    def __torch_function__(self, func, types, args=(), kwargs=None):
        r = func(*args, **(kwargs or {}))
        print("up", self.n, func.__name__)
        return r


with Up(1), Up(2):
    x = torch.ones(2).exp()
    y = x + x
try:
    with Up(3):
        torch.ones(2) + torch.ones(3)
except RuntimeError as e:
    print(e)
print(torch.ones(2) + 1)


class S(torch.Tensor):
    pass


with Up(4):
    s = torch.ones(2).as_subclass(S) + 1
print(s)
