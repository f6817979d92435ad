"""What learners write, one construct or idiom each: under the policy each prints what plain Python prints."""

from __future__ import annotations

TUTORIALS: dict[str, str] = {
    "module subclass": """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.fc1 = nn.Linear(3, hidden)
        self.fc2 = nn.Linear(hidden, 1)
        self._calls = 0
    def forward(self, x):
        self._calls += 1
        return self.fc2(torch.relu(self.fc1(x)))
torch.manual_seed(0)
net = Net()
out = net(torch.ones(2, 3))
out.sum().backward()
print(net, out.shape, net._calls, [name for name, p in net.named_parameters()])
print(net.fc1.weight.grad.shape, sum(p.numel() for p in net.parameters()), type(net).__name__)
""",
    "super with arguments": """
import torch.nn as nn
class A(nn.Module):
    def __init__(self):
        super(A, self).__init__()
        self.w = nn.Linear(1, 1)
class B(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
print(len(list(A().parameters())), len(list(B().parameters())), A().__class__.__name__)
""",
    "custom function": """
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.note = "kept"
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print(ctx.note)
        return 2 * x * g
x = torch.tensor(3.0, requires_grad=True)
Square.apply(x).backward()
print(x.grad)
""",
    "training loop": """
import torch
torch.backends.cudnn.deterministic = True
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)
X = torch.linspace(-1, 1, 8).unsqueeze(1)
Y = 3 * X + 1
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.1)
for epoch in range(5):
    loss = ((X * w + b - Y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"epoch {epoch:02d} loss {loss.item():.4f}")
for group in opt.param_groups:
    group["lr"] *= 0.5
print(opt.param_groups[0]["lr"], w, b)
""",
    "manual update": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for _ in range(3):
    (w ** 2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
w.grad = None
print(w, w.grad, w.requires_grad, w.is_leaf)
w.data = torch.zeros(2)
print(w)
""",
    "hooks": """
import torch
x = torch.tensor(2.0, requires_grad=True)
seen = []
h = x.register_hook(lambda g: seen.append(g.item()) or g * 10)
y = x * 3
y.retain_grad()
y.backward()
h.remove()
print(seen, x.grad, y.grad, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
""",
    "saved tensors": """
import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
print(c.grad_fn._saved_self, c.grad_fn._saved_other, a._version, hasattr(c.grad_fn, "_saved_result"))
print([name for name in dir(c.grad_fn) if name.startswith("_saved_")])
""",
    "numpy and back": """
import numpy as np
import torch
a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
t += 1
print(a, t.numpy().sum(), np.mean(t.numpy()), type(a), repr(a[0]), a.shape, a.T.shape)
print(np.random.RandomState(0).rand(2), np.allclose(a, t.numpy()), torch.tensor(a).sum())
print(np.array([1, 2]) @ np.array([3, 4]))
order, words = np.arange(5), list("abcdef")
np.random.seed(3)
np.random.shuffle(order)
np.random.shuffle(words)
rng = np.random.default_rng(1)
rng.shuffle(words)
print(order, words, rng.normal(size=2), np.random.choice(["x", "y"], 3), np.random.permutation(4))
print(np.dot(a, a.T).max(axis=1), (a > 2).any(), np.where(a > 2, a, 0), a.astype(int).tolist(), np.linalg.norm(a))
""",
    "micrograd": """
class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def backward(self):
        topo, visited = [], set()
        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)
        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()
    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"
a, b = Value(2.0), Value(-3.0)
c = a * b + a
c.backward()
print(a, b, c)
""",
    "private mangling": """
class Account:
    __rate = 2
    def __init__(self):
        self.__balance = 10
        self._log = []
    def add(self, x):
        self.__balance += x * self.__rate
        self._log.append(x)
        return self.__balance
    @property
    def balance(self):
        return self.__balance
    @classmethod
    def rate(cls):
        return cls.__rate
    @staticmethod
    def hello():
        return "hello"
a = Account()
print(a.add(5), a.balance, Account.rate(), a.hello(), a._log, a._Account__balance)
del a._log
print(hasattr(a, "_log"), getattr(a, "_log", None))
""",
    "decorators": """
import functools, time
def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        start = time.perf_counter()
        result = f(*args, **kwargs)
        assert time.perf_counter() >= start
        return result
    wrapper.calls = 0
    return wrapper
@timed
def add(a, b=2, *rest, c=3, **more):
    "adds"
    return a + b + sum(rest) + c + sum(more.values())
print(add(1), add(1, 2, 3, c=4, d=5), add.calls, add.__name__, add.__doc__)
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(30), fib.cache_info().misses)
""",
    "generators and comprehensions": """
def count(n):
    i = 0
    while i < n:
        got = yield i
        i += got or 1
g = count(10)
print(next(g), g.send(3), list(g))
def chain(*parts):
    for part in parts:
        yield from part
print(list(chain([1], (2, 3))), {k: v for k, v in zip("ab", range(2))}, {x % 3 for x in range(9)})
print([(i, j) for i in range(3) for j in range(i) if i != j], sum(x * x for x in range(5)))
first, *middle, last = range(5)
print(first, middle, last, [*middle, *middle], {**{"a": 1}, "b": 2})
""",
    "exceptions": """
class TooBig(ValueError):
    def __init__(self, value):
        super().__init__(f"{value} is too big")
        self.value = value
def check(x):
    if x > 3:
        raise TooBig(x)
    return x
try:
    check(5)
except (TypeError, ValueError) as e:
    print(type(e).__name__, e, e.value, e.args)
else:
    print("no")
finally:
    print("done")
try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise RuntimeError("outer") from e
except RuntimeError as e:
    print(repr(e))
try:
    assert 1 == 2, "math"
except AssertionError as e:
    print(e)
try:
    [][1]
except:
    print("bare")
""",
    "context managers": """
import contextlib
class Section:
    def __init__(self, name): self.name = name
    def __enter__(self):
        print("in", self.name)
        return self
    def __exit__(self, kind, value, trace):
        print("out", kind is None)
        return True
with Section("a") as s, contextlib.suppress(KeyError):
    {}["x"]
with Section("b"):
    raise ValueError
@contextlib.contextmanager
def tag(name):
    print("<", name)
    yield name.upper()
    print(">")
with tag("t") as t:
    print(t)
""",
    "formatting": """
import math
x, name = 3.14159, "pi"
print(f"{name!r:>6} = {x:.2f} {x:8.3e} {100:,} {0.5:%} {x = :.1f} {'nested ' + name} {{}}")
print("{0} {1:>5} {key:.1f} {0!r}".format("a", "b", key=1.25), "%s %d %5.2f %r" % ("a", 3, 2.5, "q"))
print("{d[key]} {l[0]}".format(d={"key": 1}, l=[2]), "{:{w}}|".format("x", w=4), "{}".format(None))
print("a", 1, None, sep="-", end="!\\n")
print(*range(3), sep=", ")
print(format(255, "x"), str(1e10), repr("\\n"), ascii("é"), f"{math.inf} {math.nan}")
print("x={x}".format_map({"x": 5}), str.format("{}", 7), "abc".upper().center(9, "*"), "é中😀")
print("\\ud800".encode("utf-8", "replace"))
""",
    "data classes": """
from dataclasses import dataclass, field, asdict, replace
from collections import namedtuple, defaultdict, Counter, OrderedDict, deque
from typing import List, Optional, NamedTuple
@dataclass
class Config:
    lr: float = 0.1
    layers: List[int] = field(default_factory=list)
    name: Optional[str] = None
    def __post_init__(self):
        self.layers.append(1)
@dataclass(frozen=True, order=True)
class P:
    x: int
    y: int = 0
class Row(NamedTuple):
    a: int
    b: str = "z"
    def double(self):
        return self.a * 2
c = Config(layers=[3])
print(c, asdict(c), replace(c, lr=1.0), P(1) < P(2), {P(1): 2}[P(1)], Row(4), Row(1).double(), Row(1)._replace(a=9))
try:
    P(1).x = 2
except Exception as e:
    print(type(e).__name__, e)
Point = namedtuple("Point", "x y", defaults=[5])
p = Point(1)
print(p, p._asdict(), p._fields, Counter("abca").most_common(1), OrderedDict(a=1), deque([1, 2], maxlen=1))
d = defaultdict(list)
d["k"].append(1)
print(dict(d))
""",
    "operators": """
class V:
    def __init__(self, *x): self.x = list(x)
    def __add__(self, o): return V(*(a + b for a, b in zip(self.x, o.x)))
    def __radd__(self, o): return self
    def __mul__(self, k): return V(*(a * k for a in self.x))
    __rmul__ = __mul__
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.x, o.x))
    def __getitem__(self, i): return self.x[i]
    def __setitem__(self, i, v): self.x[i] = v
    def __len__(self): return len(self.x)
    def __iter__(self): return iter(self.x)
    def __eq__(self, o): return self.x == o.x
    def __hash__(self): return hash(tuple(self.x))
    def __call__(self, k): return self.x[k]
    def __contains__(self, v): return v in self.x
    def __repr__(self): return f"V{tuple(self.x)}"
    def __str__(self): return "<" + ",".join(map(str, self.x)) + ">"
    def __bool__(self): return any(self.x)
    def __neg__(self): return self * -1
    def __format__(self, spec): return "V:" + spec
a, b = V(1, 2), V(3, 4)
a[0] += 5
print(a + b, repr(2 * a), a @ b, a[1], len(a), [*a], a == V(6, 2), a(0), 2 in a, bool(V(0)), -a)
print(f"{a:q}", sum([a, b]), {a: 1})
""",
    "inheritance": """
from abc import ABC, abstractmethod
from enum import Enum, auto
class Shape(ABC):
    def __init__(self, name): self.name = name
    @abstractmethod
    def area(self): ...
    def __str__(self): return f"{self.name}: {self.area():.1f}"
class Square(Shape):
    def __init__(self, s):
        super().__init__("square")
        self.s = s
    def area(self): return self.s ** 2
class Loud:
    def shout(self): return str(self).upper()
class LoudSquare(Loud, Square):
    count = 0
    def __init__(self, s):
        super().__init__(s)
        LoudSquare.count += 1
print(LoudSquare(2).shout(), isinstance(LoudSquare(1), Shape), issubclass(Square, Loud), LoudSquare.count)
try:
    Shape("x")
except TypeError as e:
    print("abstract", "area" in str(e))
class Colour(Enum):
    RED = 1
    BLUE = auto()
    def hex(self): return "#" + self.name.lower()
print(Colour.RED, Colour(2), Colour["RED"].hex(), [c.name for c in Colour], Colour.RED == Colour.RED)
""",
    "match": """
def what(x):
    match x:
        case 0 | 1: return "bit"
        case int() as n if n < 0: return f"negative {n}"
        case [a, b, *rest]: return f"list {a} {b} {rest}"
        case {"op": op, **more}: return f"dict {op} {more}"
        case str(s): return s
        case _: return "?"
print([what(v) for v in (1, -3, [1, 2, 3], {"op": "+", "x": 1}, "s", 2.5)])
""",
    "main guard and global": """
import random, itertools, copy, sys
counter = 0
def bump():
    global counter
    counter += 1
    def inner():
        nonlocal_value = 5
        def deeper():
            nonlocal nonlocal_value
            nonlocal_value += 1
            return nonlocal_value
        return deeper()
    return inner()
def main():
    print(bump(), counter, __name__)
    random.seed(3)
    print(random.random(), random.randint(1, 9), random.choice("abc"))
    print(list(itertools.islice(itertools.count(2, 3), 3)), list(itertools.product("ab", repeat=2))[:2])
    a = [[1], {"k": [2]}]
    b = copy.deepcopy(a)
    b[0].append(9)
    print(a, b, copy.copy(a) == a)
    sys.stdout.write("written\\n")
    print(sys.maxsize > 2 ** 31, isinstance(sys.version_info.major, int))
if __name__ == "__main__":
    main()
""",
    "lambda and sorting": """
data = [("b", 2), ("a", 3), ("c", 1)]
print(sorted(data, key=lambda t: t[1]), max(data, key=lambda t: t[0]), list(map(lambda t: t[0], data)))
print(list(filter(None, [0, 1, "", "x"])), any(x > 2 for _, x in data), all([]), [*zip(*data)], dict(data))
from functools import reduce, partial
import operator
print(reduce(operator.add, [1, 2, 3]), partial(pow, 2)(5), operator.attrgetter("real")(3), operator.itemgetter(1)("ab"))
if (n := len(data)) > 2:
    print(n)
x = 5 if n else 6
print(x, 1 < x < 9, not x, x is None, x in (5,), 7 // 2, -7 % 3, 2 ** 10, 5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4)
""",
    "loops": """
for i, c in enumerate("abc", start=1):
    if i == 2: continue
    print(i, c)
else:
    print("else")
while True:
    break
total = 0
for row in [[1, 2], [3, 4]]:
    for x in row:
        total += x
        if x == 3: break
print(total, list(range(10, 0, -3)), [1, 2, 3][::-1], "hello"[1:4])
matrix = [[0] * 3 for _ in range(2)]
matrix[0][1] = 5
del matrix[1]
d = {"a": 1}
d["b"] = d.get("b", 0) + 1
d |= {"c": 3}
del d["a"]
print(matrix, d, sorted(d.items()), len(d), d.pop("b"), d.setdefault("z", []))
s = {1, 2}
s.add(3); s |= {4}
print(s - {1}, tuple(s), frozenset(s), bytes(b"ab"), bytearray(b"c"), complex(1, 2), 0x1F, 1_000)
""",
    "imports that may fail": """
try:
    from apex import amp
except ImportError:
    amp = None
try:
    import cupy as cp, os
except (ImportError, ValueError) as e:
    cp = type(e).__name__
try:
    import google.colab
    here = True
except:
    here = False
__author__ = "me"
__all__ = ["amp"]
print(amp, cp, here, __author__, __all__, __file__)
from collections.abc import Iterable, Sequence
print(isinstance([], Iterable), isinstance(3, Sequence))
""",
    "type hints": """
from __future__ import annotations
from typing import Callable, Generic, List, Optional, TypeVar, Union, Dict, Any, Tuple
Names = List["Node"]
T = TypeVar("T")
class Box(Generic[T]):
    items: list[T]
    def __init__(self, *items: T) -> None:
        self.items = list(items)
    def first(self) -> T | None:
        return self.items[0] if self.items else None
class Node:
    def __init__(self, after: Optional["Node"] = None):
        self.after = after
def apply(f: Callable[[int], int], x: Union[int, float] = 3, table: Dict[str, Any] = {}) -> Tuple[int, ...]:
    y: int = f(x)
    return (y,)
print(Box(1, 2).first(), Box().first(), apply(lambda v: v + 1), isinstance(Box(), Box))
""",
    "warnings and dates": """
import warnings, datetime, math, statistics, string, time
warnings.filterwarnings("ignore")
warnings.warn("not shown")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("kept", RuntimeWarning)
print(len(caught), caught[0].message, datetime.date(2024, 2, 29).isoformat(), datetime.timedelta(days=1))
print(math.sqrt(2), math.factorial(5), statistics.mean([1, 2]), string.ascii_lowercase[:3], time.time() > 0)
""",
    "data loader": """
import torch
from torch.utils.data import Dataset, DataLoader
class Squares(Dataset):
    def __init__(self, n):
        self._data = [(torch.tensor([float(i)]), torch.tensor([float(i * i)])) for i in range(n)]
    def __len__(self): return len(self._data)
    def __getitem__(self, i): return self._data[i]
for x, y in DataLoader(Squares(5), batch_size=2, shuffle=False):
    print(x.shape, y.flatten().tolist())
""",
}  # fmt: skip
