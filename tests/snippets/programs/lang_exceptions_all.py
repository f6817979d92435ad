class TrainingError(Exception):
    """base"""


class DivergedError(TrainingError):
    def __init__(self, step, loss):
        super().__init__(f"diverged at step {step} with loss {loss:.2f}")
        self.step = step
        self.loss = loss


def train(n):
    for step in range(n):
        if step == 2:
            raise DivergedError(step, 1e3)
    return n


for n in (1, 5):
    try:
        result = train(n)
    except DivergedError as e:
        print("caught:", e, e.step, e.loss, e.args, isinstance(e, TrainingError))
    except (ValueError, TypeError):
        print("never")
    else:
        print("ok", result)
    finally:
        print("finally", n)
try:
    try:
        int("abc")
    except ValueError as e:
        raise RuntimeError("could not parse") from e
except RuntimeError as e:
    print(e, "because of a ValueError")


def f():
    try:
        return "try"
    finally:
        print("cleanup")


print(f())
try:
    raise TrainingError
except Exception as e:
    print(repr(e), str(e) == "")
try:
    [1, 2][5]
except (IndexError, KeyError) as e:
    print(type(e).__name__, e)
try:
    assert 2 + 2 == 5, f"{2 + 2=}"
except AssertionError as e:
    print(e)
try:
    raise KeyError("k")
except LookupError as e:
    print(e, repr(e))
for bad in ("x + 'a'",):
    try:
        1 + "a"
    except TypeError as e:
        print(e)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise
except ArithmeticError as e:
    print("again", e)
e = ValueError("a", 1)
e.add_note("a note")
print(e.args, e)
