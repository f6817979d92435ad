def f(a, b=2, *args, c, d=4, **kwargs):
    return a, b, args, c, d, kwargs


print(f(1, c=3), f(1, 2, 3, 4, c=5, e=6), f(*[1, 2], **{"c": 3}))


def only_positional(a, b, /, c, *, d):
    return a + b + c + d


print(only_positional(1, 2, c=3, d=4))
try:
    only_positional(a=1, b=2, c=3, d=4)
except TypeError as e:
    print(str(e)[:50])
try:
    f()
except TypeError as e:
    print(e)


def defaults(x, items=[], *, seen=None):
    items.append(x)
    seen = {} if seen is None else seen
    seen[x] = len(items)
    return items, seen


print(defaults(1), defaults(2))
args, kwargs = (1, 2), dict(sep="-", end="!\n")
print(*args, **kwargs)
g = lambda *a, **k: (a, k)
print(g(1, x=2), (lambda x, y=3: x * y)(2), (lambda: None)())


def annotated(x: int, *ys: float, flag: bool = True) -> str:
    """doc"""
    return f"{x} {ys} {flag}"


print(annotated(1, 2.0, flag=False), annotated.__doc__, annotated.__name__)


def recursive(n):
    return 1 if n <= 1 else n * recursive(n - 1)


print(recursive(20), [fn(3) for fn in (recursive, lambda n: n, str, float)])
