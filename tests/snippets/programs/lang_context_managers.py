import time
from contextlib import contextmanager, suppress, nullcontext, ExitStack
import torch


class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.elapsed = time.perf_counter() - self.start
        print("timed", self.elapsed >= 0, exc_type.__name__ if exc_type else None)
        return exc_type is KeyError


@contextmanager
def frozen(module):
    flags = [p.requires_grad for p in module.parameters()]
    for p in module.parameters():
        p.requires_grad_(False)
    try:
        yield module
    finally:
        for p, flag in zip(module.parameters(), flags):
            p.requires_grad_(flag)


with Timer() as t:
    sum(range(10))
with Timer():
    {}["missing"]
net = torch.nn.Linear(2, 1)
with frozen(net) as f:
    print(f(torch.ones(1, 2)).requires_grad)
print(net(torch.ones(1, 2)).requires_grad)
with suppress(ZeroDivisionError, ValueError):
    1 / 0
for training in (True, False):
    with torch.no_grad() if not training else nullcontext():
        print(net(torch.ones(1, 2)).requires_grad)
with ExitStack() as stack:
    for name in "ab":
        stack.enter_context(frozen(net))
        stack.callback(print, "callback", name)
with torch.no_grad(), torch.autograd.set_detect_anomaly(False):
    print(torch.is_grad_enabled())
with (
    torch.enable_grad(),
    torch.set_grad_enabled(True),
):
    print(torch.is_grad_enabled())
