import math, torch
from functools import total_ordering
from numbers import Number


@total_ordering
class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"{self.__class__.__name__}({self.x!r}, {self.y!r})"

    def __str__(self):
        return f"<{self.x}, {self.y}>"

    def __iter__(self):
        yield self.x
        yield self.y

    def __eq__(self, o):
        return isinstance(o, Vec) and tuple(self) == tuple(o)

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __hash__(self):
        return hash((self.x, self.y))

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __bool__(self):
        return bool(abs(self))

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k) if isinstance(k, Number) else NotImplemented

    __rmul__ = __mul__

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __neg__(self):
        return self * -1

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __call__(self, f):
        return Vec(f(self.x), f(self.y))

    def __format__(self, spec):
        return f"({self.x:{spec}}, {self.y:{spec}})"

    def __int__(self):
        return int(abs(self))

    def __float__(self):
        return float(abs(self))

    def __round__(self, n=0):
        return Vec(round(self.x, n), round(self.y, n))

    def __divmod__(self, k):
        return Vec(self.x // k, self.y // k), Vec(self.x % k, self.y % k)

    def __index__(self):
        return 1

    def __reversed__(self):
        return iter((self.y, self.x))

    def __copy__(self):
        return Vec(self.x, self.y)

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self


v, w = Vec(3, 4), Vec(1, 2)
print(v, repr(v), v + w, v - w, v * 2, 2 * v, -v, abs(v), v @ w, v == Vec(3, 4), v > w, bool(Vec(0, 0)))
print(
    list(v),
    len(v),
    v[0],
    3 in v,
    v(lambda t: t + 0.5),
    f"{v:.2f}",
    int(v),
    float(v),
    round(Vec(1.234, 2.345), 1),
    divmod(v, 2),
)
print([10, 20, 30][w], list(reversed(v)), {v: 1}[Vec(3, 4)], max([v, w]), sorted([v, w]))
v += w
print(v, hash(v) == hash(Vec(4, 6)))
a, b = w
print(a, b, *w)
try:
    v * "a"
except TypeError as e:
    print(e)
try:
    v.z = 1
except AttributeError as e:
    print(e)
print(Vec(torch.tensor(1.0), torch.tensor(2.0)) + Vec(torch.tensor(1.0, requires_grad=True), 1))
print(
    Vec.__name__, v.__class__ is Vec, isinstance(v, Vec), Vec.__doc__, v.__slots__ if hasattr(v, "__slots__") else "-"
)
import copy

print(copy.copy(v), copy.deepcopy(v))
