import numbers
import torch
from typing import Callable, Dict

REGISTRY: Dict[str, Callable] = {}


def register(name=None):
    def wrap(fn):
        REGISTRY[name or fn.__name__] = fn
        return fn

    return wrap


@register()
def square(x):
    return x * x


@register("cube")
def _cube(x):
    return x**3


def apply(name, value):
    if not isinstance(value, (numbers.Number, torch.Tensor)):
        raise TypeError(f"{name}: expected a number or a tensor, got {type(value).__name__}")
    return REGISTRY[name](value)


for v in (2, 2.5, 1 + 1j, True, torch.tensor(3.0), "no", None, [1]):
    try:
        print(apply("square", v), apply("cube", v))
    except TypeError as e:
        print(e)
print(
    sorted(REGISTRY),
    isinstance(3, numbers.Integral),
    isinstance(3.0, numbers.Integral),
    isinstance(3.0, numbers.Real),
    issubclass(bool, numbers.Number),
)


class Scalar:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Scalar(self.v + (o.v if isinstance(o, Scalar) else o))

    def __radd__(self, o):
        return self + o

    def __copy__(self):
        return Scalar(self.v)

    def __repr__(self):
        return f"Scalar({self.v})"


import copy

s = Scalar(2)
print(s + 1, 1 + s, sum([s, s]), copy.copy(s), copy.copy(s) is s)
