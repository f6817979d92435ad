data = [3, 8, 1, 9]
if (m := max(data)) > 5:
    print("max", m)
print([root for x in data if (root := x**0.5) > 1.5])
sign = lambda v: "neg" if v < 0 else "zero" if v == 0 else "pos"
print([sign(v) for v in (-1, 0, 1)])
x = 5
print(0 < x <= 5 != 6, x is not None and x > 3, not x, None or 0 or "last", x and "and", (x, "tuple")[0])
x += 1
x -= 2
x *= 3
x //= 2
x **= 2
x %= 7
x <<= 2
x >>= 1
x |= 8
x &= 12
x ^= 5
print(x)
y = 10.0
y /= 4
print(y, 7 / 2, 7 // 2, 7 % 3, -7 // 2, 2**0.5, 1e-3, 0b101, 0o17, 0xFF, 1_000_000, 3j, 0.5, 5.0)
a: int = 3
b, c = 1, 2
b = c = a
print(a, b, c, type(a), type(1.0), type("s"), type(None), type(lambda: 0))
s = {1, 2, 3}
print(s | {4}, s & {1, 9}, s - {1}, s ^ {3, 4}, s <= {1, 2, 3, 4}, frozenset([1]), {1}.issubset(s), s.isdisjoint({9}))
d = {"a": 1, "b": 2}
print(
    d.get("c", 0),
    list(d),
    list(d.values()),
    d.items(),
    "a" in d,
    d.pop("a"),
    d.setdefault("z", []),
    d | {"q": 1},
    {**d, "b": 5},
    dict.fromkeys("ab", 0),
)
d.update(c=3)
del d["b"]
print(
    d, len(d), sorted(d), max(d, key=lambda k: str(d[k])), {v: k for k, v in {"x": 1}.items()}, bool({}), d.copy() == d
)
pass
...
assert True
print(NotImplemented, Ellipsis, ..., None, __debug__)
