from typing import Protocol, TypeVar, Generic, Iterable
from abc import ABC, ABCMeta, abstractmethod
import abc

K = TypeVar("K")
V = TypeVar("V")


class Comparable(Protocol[K]):
    def __lt__(self, other: K) -> bool: ...


class Pair(Generic[K, V]):
    def __init__(self, key: K, value: V):
        self.key, self.value = key, value

    def swap(self) -> "Pair[V, K]":
        return Pair(self.value, self.key)

    def __repr__(self):
        return f"{type(self).__name__}({self.key!r}, {self.value!r})"


class IntPair(Pair[int, int]):
    pass


class Layer(metaclass=ABCMeta):
    @abstractmethod
    def forward(self, x): ...

    def __call__(self, x):
        return self.forward(x)


class Other(metaclass=abc.ABCMeta):
    @property
    @abc.abstractmethod
    def size(self): ...


class Scale(Layer):
    def __init__(self, k):
        self.k = k

    def forward(self, x):
        return self.k * x


class Loss(ABC):
    name = "loss"

    @classmethod
    @abstractmethod
    def make(cls): ...

    @staticmethod
    def zero():
        return 0


for cls in (Layer, Loss, Other):
    try:
        cls()
    except TypeError as e:
        print(str(e).split(" with")[0])
print(Scale(3)(4), Pair("a", 1).swap(), IntPair(1, 2), issubclass(Scale, Layer), Loss.zero())


def smallest(items: Iterable[K]) -> K:
    return min(items)


print(smallest([3, 1, 2]))
