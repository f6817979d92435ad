total = 1 + 2 + 3
text = f"one two {total}"
values = [
    1,
    2,  # trailing comma
]
result = sum(values) * 2 if values else 0
if total > 3 and result == 6:
    print(total, text, values, result)
d = {"a": 1, **{"b": 2}}
print(d)
print(f"{d['a']}")
x = y = z = 0
print(x, y, z, end="")
print()


def f(
    a,
    b=1,
    *,
    c=2,
):
    return a + b + c


print(
    f(1),
    f(
        1,
        c=0,
    ),
)
