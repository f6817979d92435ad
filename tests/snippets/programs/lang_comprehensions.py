matrix = [[1, 2, 3], [4, 5, 6]]
print([x for row in matrix for x in row], [[row[i] for row in matrix] for i in range(3)], [*zip(*matrix)])
print({x: x**2 for x in range(4)}, {x % 3 for x in range(10)}, {k: v for k, v in sorted({"b": 1, "a": 2}.items())})
print([(x, y) for x in range(3) for y in range(x) if x + y > 1], [x if x % 2 else -x for x in range(5)])
print([y for x in range(5) if (y := x * x) > 3], [f"{i}{c}" for i, c in enumerate("ab", 1)])
print(sum(1 for _ in filter(lambda x: x > 2, range(5))), any(x > 3 for x in range(5)), all(map(bool, [1, "a"])))
pairs = [(1, "one"), (3, "three"), (2, "two")]
print(
    sorted(pairs, key=lambda p: p[1]), sorted(pairs, reverse=True), min(pairs, key=lambda p: len(p[1])), dict(pairs)[3]
)
names, ages = ["a", "b"], [1, 2]
for i, (name, age) in enumerate(zip(names, ages, strict=True)):
    print(i, name, age)
try:
    list(zip([1], [1, 2], strict=True))
except ValueError as e:
    print(e)
first, *rest = [1, 2, 3]
(a, b), c = (1, 2), 3
print(first, rest, a, b, c, [*range(3), *"ab"], {**{"a": 1}, "b": 2}, (*[1], 2))
a, b = b, a
x = y = []
x.append(1)
print(a, b, y, x is y, 1 < 2 < 3, not [] and "yes", [] or "default", 5 // 2, -5 // 2, -5 % 3, divmod(7, 2), 2**-1)
lst = list(range(10))
print(lst[2:8:2], lst[::-3], lst[-3:], lst[:-7])
lst[2:4] = [20, 30, 40]
del lst[-2:]
lst.insert(0, "x")
lst.extend([1])
lst.remove(20)
print(lst, lst.index(30), lst.pop(), lst.count(1), len(lst))
while (n := len(lst)) > 6:
    lst.pop()
print(n)
for i in range(3):
    if i == 5:
        break
else:
    print("no break")
print(
    round(2.5),
    round(3.14159, 2),
    abs(-3),
    pow(2, 10, 7),
    max(1, 5, 3),
    min([4, 2]),
    sum([1, 2], 10),
    hex(255),
    bin(5),
    oct(8),
    int("ff", 16),
)
print(
    list(map(lambda x, y: x + y, [1, 2], [3, 4])),
    list(reversed([1, 2])),
    slice(1, 3),
    [1, 2, 3][slice(1, 3)],
    isinstance(3, (int, str)),
    callable(print),
)
