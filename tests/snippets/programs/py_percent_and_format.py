import torch
import math

x = torch.tensor(3.14159)
print("%d %5d|%-5d|%05d" % (3, 42, 42, 42))
print("%s %r %a" % ("é", "é", "é"))
print("%.3f %8.2f %e %g %G" % (math.pi, math.pi, 12345.678, 1e-5, 1e20))
print("%x %X %o %#x %c %%" % (255, 255, 8, 255, "A"))
print("%(a)s-%(b)03d" % {"a": "k", "b": 7})
print("%*d|%-*d|%.*f" % (5, 3, 5, 3, 2, math.e))
print("%s" % (1,), "%s %s" % ("a", [1, 2]))
print("%.4f" % x, "%d" % torch.tensor(5), "%s" % x)
print("loss: %.3f acc: %d%%" % (0.12345, 97))
print("{} {} {}".format(1, "two", [3]))
print("{0} {1} {0}".format("a", "b"))
print("{name}: {value:.2f}".format(name="pi", value=math.pi))
print("{0[1]} {1[k]}".format([10, 20], {"k": "v"}))
print("{0.shape} {0.dtype} {1.real}".format(torch.ones(2), 3))
print("{:>10}|{:<10}|{:^10}|{:*^10}".format("r", "l", "c", "m"))
print("{:,} {:_} {:+d} {: d} {:#x} {:b} {:08.3f}".format(1234567, 1234567, 5, 5, 255, 5, math.pi))
print("{:.1%} {:e} {:g} {:n}".format(0.256, 1234.5, 1e-7, 10))
print("{!r} {!s} {!a}".format("a", "b", "é"))
print("{:{}} {:{w}.{p}f}|".format("x", 5, math.pi, w=8, p=2))
print("{{}} {}".format("braces"))
print("{a[0]:>{w}}".format(a=["z"], w=4))
data = {"epoch": 3, "loss": 0.5}
print("{epoch}/{loss}".format(**data), "{epoch}".format_map(data))
name, v = "w", 2.5
print(f"{name=} {v=:.3f} {v!r:>8} {name!r} {v + 1 = }")
print(f"{'nested ' + f'{v:.1f}'} {data['epoch']:03d} {max(1, 2)} {[i**2 for i in range(3)]}")
print(f"{v:{8}.{2}f}|{name:>{len('abcdef')}}|{x:.2f}|{x.item():.2f}|{torch.tensor(1):>4}")
print(f"{{}} {'yes' if v > 2 else 'no'} {(lambda a: a * 2)(4)}")
print(f"{1000000:,} {0.00001:.0e} {255:#b} {True} {None} {...}")
print(
    f"{'a':-<5}{'b':->5}",
    rf"\d{v}",
    f"""multi
{name}
line""",
)
import datetime

print(f"{datetime.date(2024, 1, 2):%d.%m.%Y} {datetime.timedelta(seconds=90)}")
print("a,b;c".replace(";", ",").split(","), "x".join(["1", "2"]), "abc"[::-1], "-" * 10)
print("left".ljust(8, ".") + "right".rjust(8, ".") + "mid".center(9, "="), "7".zfill(3))
print(str(2**200), len(str(10**4000)), 0.1 + 0.2, 1e16, 1e15, -0.0, 1.0, 1e-5, 123456789.123456789)
try:
    print(len(str(10**5000)))
except ValueError as e:
    print(e)
for bad in (
    lambda: "{} {}".format(1),
    lambda: "{a}".format(b=1),
    lambda: "{0.nope}".format(1),
    lambda: "%d" % "a",
    lambda: "%s %s" % "a",
    lambda: "{:d}".format(1.5),
    lambda: "{".format(),
    lambda: f"{'a':d}",
    lambda: "{:.2f}".format("s"),
    lambda: "%(a)s" % {"b": 1},
):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
print(
    format(3.14159, ".2f"), format(255, "x"), format("a", ">3"), round(2.675, 2), round(2.5), round(-1.5), divmod(7, -2)
)
