import math


class Dual:
    def __init__(self, real, eps=0.0):
        self.real, self.eps = real, eps

    def __add__(self, o):
        o = self._lift(o)
        return Dual(self.real + o.real, self.eps + o.eps)

    def __mul__(self, o):
        o = self._lift(o)
        return Dual(self.real * o.real, self.real * o.eps + self.eps * o.real)

    def __sub__(self, o):
        return self + self._lift(o) * -1

    def __truediv__(self, o):
        o = self._lift(o)
        return Dual(self.real / o.real, (self.eps * o.real - self.real * o.eps) / o.real**2)

    def __pow__(self, n):
        return Dual(self.real**n, n * self.real ** (n - 1) * self.eps)

    __radd__, __rmul__ = __add__, __mul__

    def sin(self):
        return Dual(math.sin(self.real), math.cos(self.real) * self.eps)

    @staticmethod
    def _lift(x):
        return x if isinstance(x, Dual) else Dual(x)

    def __repr__(self):
        return f"{self.real:.4f} + {self.eps:.4f}ε"


def derivative(f, x):
    return f(Dual(x, 1.0)).eps


print(
    derivative(lambda x: x**3 + 2 * x, 2.0),
    Dual(1.0, 1.0).sin() * 3,
    derivative(lambda x: (x * x) / (x + 1), 1.0),
    Dual(3) - 1,
)
