import datetime
import math

x, y, name, n = 3.14159265, 42, "loss", None
print(f"{x=}", f"{x = :.2f}", f"{y=!r:>6}", f"{name!r}", f"{name!s:^10}|", f"{'é'!a}")
width, prec = 12, 3
print(f"{x:{width}.{prec}f}|{x:<{width}.{prec}e}|{y:0>5}|{y:+d}|{y:#x}|{y:b}|{y:,}|{1e6:_.0f}|{0.256:.1%}")
print(f"{name.upper()} {name[0]} {[i**2 for i in range(3)]} {({'a': 1})['a']} {(lambda v: v * 2)(4)}")
print(f"{'nested ' + f'{y + 1}'} {{literal}} {n} {x:g} {math.inf:f} {True} {True:d}")
print(f"{datetime.date(2024, 2, 3):%d.%m.%Y} {datetime.datetime(2024, 1, 2, 3, 4):%H:%M}")
print(
    f"{y:>{len('abcdef')}}",
    f"{'yes' if y > 3 else 'no'}",
    f"""multi
line {x:.1f}""",
)
print(f"{y!s}{name}plain{3}", rf"\d{y}", rf"\n{name}")
print("epoch %3d | loss %8.4f | %s | %r | %5.1f%% | %-6s| %+d | %e" % (3, x, name, name, 98.76, "ab", 5, 12345.678))
print("%(a)s %(b)05.1f" % {"a": 1, "b": 2.5}, "%s" % (1,), "%x %o %c" % (255, 8, "z"))
print("{0} {1:.2f} {name} {0!r}".format("s", 2.5, name=3))
print("{:>8} {:<8}| {:^8} {:*^9} {:08.3f} {:,} {:e}".format("r", "l", "c", "m", 3.14159, 10**6, 0.001))
print("{0[1]} {d[k]} {c.real} {x:{w}}".format([1, 2], d={"k": "v"}, c=3 + 4j, x="a", w=4))
print("{a}-{b}".format(**{"a": 1, "b": 2}), "{}{}".format(*"xy"), "{a}".format_map({"a": 7}))
