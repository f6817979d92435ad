import torch, itertools, random
from collections import deque, defaultdict, Counter, namedtuple, ChainMap
from contextlib import contextmanager, nullcontext, suppress, ExitStack
from functools import partial, reduce, lru_cache, wraps, cached_property


def batches(x, n):
    for i in range(0, len(x), n):
        yield x[i : i + n]


print([b.tolist() for b in batches(torch.arange(7), 3)])


def infinite(loader):
    while True:
        yield from loader


it = infinite([1, 2])
print([next(it) for _ in range(5)])


def avg():
    total = n = 0
    value = None
    while True:
        value = yield (total / n if n else None)
        total += value
        n += 1


g = avg()
next(g)
print(g.send(1.0), g.send(3.0))
g.close()


@contextmanager
def frozen(m):
    flags = [p.requires_grad for p in m.parameters()]
    m.requires_grad_(False)
    try:
        yield m
    finally:
        for p, f in zip(m.parameters(), flags):
            p.requires_grad = f


lin = torch.nn.Linear(1, 1)
with frozen(lin) as m:
    print(any(p.requires_grad for p in m.parameters()))
print(all(p.requires_grad for p in lin.parameters()))
with ExitStack() as stack:
    stack.enter_context(torch.no_grad())
    print(torch.is_grad_enabled())
with suppress(KeyError), nullcontext():
    {}["x"]


class Lazy:
    calls = 0

    @cached_property
    def value(self):
        Lazy.calls += 1
        return torch.arange(3).sum()

    def _power(self, p):
        return self.value**p

    def square(self):
        return self._power(2)


l = Lazy()
print(l.value, l.value, Lazy.calls, l.square())


@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), fib.cache_info())


def retry(times):
    def deco(f):
        @wraps(f)
        def inner(*args, **kwargs):
            for i in range(times):
                try:
                    return f(*args, **kwargs)
                except ValueError as e:
                    print("retry", i, e)
            return None

        return inner

    return deco


@retry(2)
def flaky(a, /, b, *, c=1):
    """doc"""
    raise ValueError(a + b + c)


print(flaky(1, 2), flaky.__name__, flaky.__doc__)
q = deque(maxlen=3)
for i in range(5):
    q.append(i)
print(q, sum(q) / len(q), q[-1])
d = defaultdict(list)
for k, v in [("a", 1), ("b", 2), ("a", 3)]:
    d[k].append(v)
print(d, dict(d), Counter("hello").most_common(2), ChainMap({"a": 1}, {"b": 2})["b"])
print(
    list(itertools.product([0, 1], repeat=2)),
    list(itertools.combinations("abc", 2)),
    list(itertools.accumulate([1, 2, 3])),
    list(itertools.islice(itertools.count(5), 2)),
    list(itertools.chain([1], [2])),
    [(k, list(v)) for k, v in itertools.groupby("aabb")],
    list(itertools.zip_longest([1], [2, 3])),
    list(itertools.pairwise([1, 2, 3])),
    list(itertools.starmap(pow, [(2, 3)])),
    list(itertools.takewhile(lambda x: x < 3, [1, 5])),
    reduce(lambda a, b: a * b, [1, 2, 3]),
)
random.seed(0)
print(
    random.random(),
    random.sample(range(10), 3),
    random.choice("abc"),
    random.gauss(0, 1),
    random.shuffle(list("ab")),
    random.choices([1, 2], weights=[1, 9], k=3),
    random.uniform(1, 2),
    random.randint(1, 6),
)
first, *rest = range(4)
(a, b), c = (1, 2), 3
print(first, rest, a, b, c, {**{"x": 1}, "y": 2}, [*range(2), *"ab"], {1, 2} | {3}, {"a": 1} | {"b": 2})
for i, (u, v) in enumerate(zip("ab", [1, 2]), start=1):
    print(i, u, v, end="; ")
else:
    print("else")
print(
    any(x > 2 for x in [1, 3]),
    all([]),
    sorted("bca", reverse=True),
    sorted([(1, "b"), (0, "a")], key=lambda p: p[1]),
    list(map(str, [1, 2])),
    list(filter(None, [0, 1])),
    max("abc", key=ord),
    min([3, 1], default=0),
    sum([[1], [2]], []),
    list(reversed([1, 2])),
    "".join(chr(ord(c) + 1) for c in "HAL"),
)
matrix = [[1, 2], [3, 4]]
print(
    [[row[i] for row in matrix] for i in range(2)],
    {k: v for k, v in zip("ab", (1, 2))},
    {x % 2 for x in range(5)},
    (lambda *a, **k: (a, k))(1, z=2),
)
if (n := len(matrix)) > 1:
    print(n)
match torch.ones(2, 3).shape:
    case (r, c) if r > 1:
        print("matrix", r, c)
    case _:
        print("other")
match {"op": "add", "args": [1, 2]}:
    case {"op": "add", "args": [x, y]}:
        print(x + y)
print(
    0 if None else 1,
    not [],
    1 < 2 < 3,
    None is None,
    [] == [],
    5 // 2,
    -5 // 2,
    5 % -3,
    2**-1,
    7 & 3,
    1 << 4,
    ~5,
    3 ^ 1,
    1_000,
    0b11,
    0xFF,
    0o17,
    1e3,
    2j * 2j,
)
global_counter = 0


def bump():
    global global_counter
    global_counter += 1
    return global_counter


bump()
bump()
print(global_counter)
x = 5
y = x
x += 1
print(x, y)
del y
try:
    y
except NameError as e:
    print(e)
