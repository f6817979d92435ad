import math


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k) if isinstance(k, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, k):
        return Vec(self.x / k, self.y / k)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __pos__(self):
        return self

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __eq__(self, o):
        return isinstance(o, Vec) and (self.x, self.y) == (o.x, o.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __iter__(self):
        yield self.x
        yield self.y

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __bool__(self):
        return bool(abs(self))

    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self

    def __pow__(self, n):
        return Vec(self.x**n, self.y**n)

    def __mod__(self, n):
        return Vec(self.x % n, self.y % n)

    def __floordiv__(self, n):
        return Vec(self.x // n, self.y // n)

    def __round__(self, n=0):
        return Vec(round(self.x, n), round(self.y, n))

    def __invert__(self):
        return Vec(self.y, self.x)

    def __and__(self, o):
        return Vec(min(self.x, o.x), min(self.y, o.y))

    def __or__(self, o):
        return Vec(max(self.x, o.x), max(self.y, o.y))

    def __float__(self):
        return float(abs(self))

    def __int__(self):
        return int(abs(self))

    def __call__(self, f):
        return Vec(f(self.x), f(self.y))

    def __format__(self, spec):
        return f"<{self.x:{spec}}, {self.y:{spec}}>"

    def __repr__(self):
        return f"Vec({self.x!r}, {self.y!r})"


a, b = Vec(3, 4), Vec(1, 2)
print(a + b, a - b, a * 2, 2 * a, a / 2, -a, +a, abs(a), a == Vec(3, 4), a @ b, a[0], list(a), len(a), 3 in a)
print(
    bool(Vec(0, 0)), sorted([a, b]), {a: 1}[Vec(3, 4)], a**2, a % 2, a // 2, round(Vec(1.26, 2.74), 1), ~a, a & b, a | b
)
print(float(a), int(a), a(lambda v: v * 10), f"{a:.1f}", max(a, b), sum([a, b], Vec(0, 0)))
a += b
print(a)
x, y = a
print(x, y)
try:
    a * "no"
except TypeError as e:
    print(e)
try:
    a.z = 1
except AttributeError as e:
    print("slots")
