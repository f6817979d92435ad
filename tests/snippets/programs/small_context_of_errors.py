import torch, traceback, sys
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Linear(5, 1)

    def forward(self, x):
        try:
            return self.b(self.a(x))
        except RuntimeError as err:
            raise ValueError(f"layer sizes do not fit: {self.a.out_features} -> {self.b.in_features}") from err


try:
    Net()(torch.ones(2, 3))
except ValueError as e:
    print(e)
    print("caused by:", type(e.__cause__).__name__, e.__cause__)
    print(e.__suppress_context__, e.__context__ is e.__cause__)


def chain(e):
    while e is not None:
        yield f"{type(e).__name__}: {e}"
        e = e.__cause__ or e.__context__


try:
    try:
        torch.zeros(2)[3]
    except IndexError:
        torch.zeros(2) @ torch.zeros(3)
except RuntimeError as e:
    for line in chain(e):
        print(line)


def safe(f, default=None):
    try:
        return f()
    except (RuntimeError, ValueError, TypeError, IndexError) as e:
        print(traceback.format_exception_only(type(e), e)[-1].strip())
        return default


print(safe(lambda: torch.tensor("a")))
print(safe(lambda: torch.ones(2, 3).view(5)))
print(safe(lambda: torch.tensor([[1, 2], [3]])))
print(safe(lambda: torch.ones(2).reshape(3), "fallback"))
print(safe(lambda: int(torch.ones(2))))
print(safe(lambda: torch.cat([])))
print(safe(lambda: torch.stack([])))
print(safe(lambda: torch.zeros(-1)))
print(safe(lambda: torch.ones(2, 2).inverse().shape, "singular"))
print(safe(lambda: torch.linalg.cholesky(-torch.eye(2))))


class Interrupt(Exception):
    pass


try:
    for step in range(10):
        if step == 3:
            raise Interrupt(step)
except Interrupt as stop:
    print("stopped at", stop.args[0])
finally:
    print("always")
try:
    raise ValueError("with note")
except ValueError as e:
    e.add_note("step 3")
    print(e.__notes__)
