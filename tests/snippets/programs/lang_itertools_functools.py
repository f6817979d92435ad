import itertools as it
import functools
from functools import partial, reduce, wraps, lru_cache
import operator

print(
    list(it.chain([1], [2, 3])),
    list(it.chain.from_iterable([[1], [2]])),
    list(it.accumulate([1, 2, 3])),
    list(it.accumulate([1, 2, 3], operator.mul)),
)
print(list(it.combinations("abc", 2)), list(it.permutations([1, 2, 3], 2))[:3], list(it.product([0, 1], repeat=2)))
print([(k, len(list(g))) for k, g in it.groupby("aaabbc")], list(it.zip_longest([1, 2], "a", fillvalue="-")))
print(
    list(it.takewhile(lambda x: x < 3, range(9))),
    list(it.dropwhile(lambda x: x < 7, range(9))),
    list(it.starmap(pow, [(2, 3), (3, 2)])),
)
print(
    list(it.islice(it.cycle("ab"), 5)),
    list(it.repeat(0, 3)),
    list(it.compress("abcd", [1, 0, 1, 0])),
    list(it.pairwise([1, 2, 3])),
)
a, b = it.tee(iter([1, 2]))
print(list(a), list(b), list(it.filterfalse(bool, [0, 1, ""])), next(it.count(5, 2)))
print(reduce(lambda x, y: x * y, [1, 2, 3, 4]), reduce(operator.add, [[1], [2]], []), partial(int, base=2)("101"))


@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.cache
def slow(x):
    print("computed", x)
    return x * 2


print(fib(50), fib.cache_info(), slow(2), slow(2))


def repeat(times):
    def decorator(f):
        @wraps(f)
        def wrapper(*args, **kwargs):
            return [f(*args, **kwargs) for _ in range(times)]

        return wrapper

    return decorator


@repeat(times=2)
def hello(name, *, loud=False):
    """says hello"""
    return name.upper() if loud else name


print(hello("a", loud=True), hello.__name__, hello.__doc__)


@functools.total_ordering
class Grade:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v

    def __lt__(self, o):
        return self.v < o.v


print(Grade(1) >= Grade(0), sorted([3, 1, 2], key=functools.cmp_to_key(lambda x, y: y - x)))


class Lazy:
    @functools.cached_property
    def value(self):
        print("once")
        return 5


lazy = Lazy()
print(
    lazy.value,
    lazy.value,
    operator.itemgetter(1, 0)("ab"),
    operator.attrgetter("real")(2),
    operator.methodcaller("upper")("x"),
)
