import torch, traceback, sys


class ShapeError(ValueError):
    """Raised when shapes do not fit."""

    def __init__(self, expected, got):
        self.expected, self.got = expected, got
        super().__init__(f"expected {expected}, got {got}")


def check(t, shape):
    if tuple(t.shape) != shape:
        raise ShapeError(shape, tuple(t.shape))


try:
    check(torch.ones(2), (3,))
except ShapeError as e:
    print(e, e.args, e.expected, e.got, repr(e), e.__class__.__name__, type(e).__doc__)

try:
    try:
        torch.ones(2) + torch.ones(3)
    except RuntimeError as err:
        raise ValueError("bad shapes") from err
except ValueError as e:
    print(type(e.__cause__).__name__, e.__cause__)
    print(e.__context__ is e.__cause__, e.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise KeyError("k") from None
except KeyError as e:
    print(e, e.__cause__, type(e.__context__).__name__)
try:
    try:
        {}["a"]
    finally:
        print("finally")
except KeyError as e:
    print(repr(e))
try:
    raise RuntimeError("a", 1)
except (RuntimeError, TypeError) as e:
    e.add_note("a note")
    print(e, e.__notes__)
try:
    raise ExceptionGroup("many", [ValueError("v"), TypeError("t")])
except ExceptionGroup as eg:
    print(eg.exceptions, eg)


def f():
    try:
        return "try"
    finally:
        print("cleanup")


print(f())
try:
    assert torch.ones(2).sum() == 3, f"sum is {torch.ones(2).sum()}"
except AssertionError as e:
    print(e)
for bad in (
    lambda: int("x"),
    lambda: [][1],
    lambda: {}["k"],
    lambda: None.foo,
    lambda: "a" + 1,
    lambda: 1 / 0,
    lambda: float("abc"),
    lambda: next(iter([])),
    lambda: undefined_name,
    lambda: (1, 2)[5],
    lambda: len(5),
    lambda: [1, 2].index(7),
    lambda: "abc".index("z"),
    lambda: torch.nope,
    lambda: int(None),
    lambda: max([]),
    lambda: sum(["a"]),
    lambda: dict([1]),
    lambda: "%d" % "x",
):
    try:
        bad()
        print("fine")
    except Exception as e:
        print(type(e).__name__, "-", e)
try:
    torch.randn(2, 3) @ torch.randn(2, 3)
except RuntimeError as e:
    print(str(e), file=sys.stderr)
    print("".join(traceback.format_exception_only(type(e), e)).strip())
while True:
    try:
        raise StopIteration
    except StopIteration:
        break
    else:
        print("never")
with_ctx = []


class Timer:
    def __enter__(self):
        with_ctx.append("in")
        return self

    def __exit__(self, et, ev, tb):
        with_ctx.append(et.__name__ if et else None)
        return True


with Timer():
    raise ValueError("swallowed")
print(with_ctx)
