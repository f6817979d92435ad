"""What classes do when they are derived from and when objects are made, and what they say of themselves."""

import functools

import torch
from torch import nn


class Block(nn.Module):
    kinds = {}
    width: int = 3

    def __init_subclass__(cls, kind=None, **more):
        super().__init_subclass__(**more)
        Block.kinds[kind] = cls.__name__


class Wide(Block, kind="wide"):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)


class Wider(Wide, kind="wider"):
    def __init_subclass__(cls, **more):
        print("of Wider:", cls.__name__, more)
        super().__init_subclass__(**more)


class Widest(Wider, kind="widest"):
    pass


print(Block.kinds)
try:

    class Wrong(Widest, foo=3):
        pass

except TypeError as error:
    print(error)


class Temperature(float):
    def __new__(cls, value):
        return super().__new__(cls, value + 1)


class Pair(tuple):
    def __new__(cls, first, second):
        return tuple.__new__(cls, (first, second))


class Once:
    _one = None

    def __new__(cls, *args, **keywords):
        if cls._one is None:
            cls._one = super(Once, cls).__new__(cls)
        return cls._one

    def __init__(self, value):
        self.value = value

    def __class_getitem__(cls, item):
        return item


print(Temperature(2.0) * 2, Pair(1, 2), type(Pair(1, 2)).__name__, Once(1) is Once(2), Once(3).value, Once[5])
print([each.__name__ for each in Pair.__mro__], [each.__name__ for each in Wide.__bases__])
print([each.__name__ for each in Block.__subclasses__()], sorted(Block.__annotations__))
print([name for name in Once.__dict__ if not name.startswith("_")])


def doubled(function):
    @functools.wraps(function)
    def wrapper(x: int) -> int:
        return function(x) * 2

    return wrapper


@doubled
def add_one(x: int) -> int:
    return x + 1


print(add_one(3), add_one.__wrapped__(3), sorted(add_one.__annotations__))
net = Wide()
net.extra = 7
print({name: value for name, value in net.__dict__.items() if not name.startswith("_")}, "_parameters" in vars(net))
x = torch.ones(2)
x.label = "mine"
print(x.__dict__, vars(nn.Linear(2, 3))["in_features"])
