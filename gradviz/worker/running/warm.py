"""What a worker does before it closes its locks: import everything that may be needed and use it once, because nothing
can be opened afterwards."""

from __future__ import annotations

import gc
import importlib
import pkgutil

from gradviz.worker.modules.arrays import warm_arrays
from gradviz.worker.running.runner import Runner

_PACKAGES = ("gradviz.engine", "gradviz.trace.record")

_SNIPPET = """
import argparse, math, random, time, copy, datetime, collections, dataclasses, typing, functools, enum, statistics
Point = collections.namedtuple("Point", "x y")
@dataclasses.dataclass
class Config:
    rate: float = 0.1
class Colour(enum.Enum):
    RED = 1
print(Config(), Point(1, 2), Colour.RED, "{:.1f} {!r}".format(1.0, "a"), f"{math.pi:.3f}", "é\\u4e2d")
copy.deepcopy([Config(), Point(1, 2)])
time.strftime("%H"); datetime.datetime.now().strftime("%H"); datetime.datetime.strptime("2024", "%Y")
argparse.ArgumentParser().print_help()
random.seed(1); random.gauss(0, 1); statistics.stdev([1.0, 2.0])
def f():
    raise ValueError("x") from KeyError("y")
f()
"""

TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
    def forward(self, x):
        return torch.relu(self.fc(x))
net = Net()
step = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    step.zero_grad()
    loss = ((net(torch.randn(4, 3)) - 1) ** 2).mean()
    loss.backward()
    step.step()
print(net, loss, f"{loss.item():.3f}", net.fc.weight.grad, torch.ones(2, dtype=torch.bfloat16))
print(torch.linalg.inv(torch.eye(2)))
y = torch.ones(2, requires_grad=True) * 2
y.grad
y.numpy() if False else y.detach().numpy().mean()
y.backward()
"""


def import_late_parts() -> None:
    """Import what functions of the program would import on first use."""
    for package in _PACKAGES:
        for part in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(part.name)


def warm(runner: Runner) -> None:
    """Import late parts, exercise NumPy, and run a snippet that raises, is refused and does not compile."""
    import_late_parts()
    warm_arrays()
    gc.freeze()  # the collector ignores what is imported so far
    runner.rehearse([_SNIPPET, TRAINING, "import os\\n", "x = ("])
