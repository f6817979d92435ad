import torch
from torch import nn


class Base(nn.Module):
    registry = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Base.registry[cls.__name__] = cls
        cls.tag = cls.__name__.lower()
        print("new", cls.__name__, [c.__name__ for c in cls.__mro__])


class A(Base):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(1, 1)


class B(A):
    def __init_subclass__(cls):
        print("B first", cls.__name__)
        super().__init_subclass__()


class C(B):
    pass


print(sorted(Base.registry), C.tag, C.__bases__)


class P:
    @classmethod
    def __init_subclass__(cls, **kw):
        print("P", cls.__name__, kw)


class Q(P, nn.Module):
    pass


print(Q.__bases__[1] is nn.Module)


class R:
    def __init_subclass__(cls):
        raise ValueError("no heirs")


try:

    class S(R):
        pass
except ValueError as e:
    print(e)
