"""What a worker does before it closes its locks: import everything that may be needed and use it once, because nothing
can be opened afterwards."""

from __future__ import annotations

import gc
import importlib
import pkgutil

from gradviz.worker.arrays import warm_arrays
from gradviz.worker.runner import Runner

_LATE = (  # imported by C code or functions of these packages on first use
    "_strptime encodings.idna encodings.latin_1 encodings.ascii encodings.unicode_escape encodings.raw_unicode_escape "
    "unicodedata decimal fractions numbers heapq bisect copyreg locale gettext shutil ml_dtypes "
    "numpy.polynomial numpy.fft "
    "encodings.utf_8_sig encodings.utf_7 encodings.utf_16 encodings.utf_32 encodings.punycode encodings.cp1250 "
    "encodings.cp1251 encodings.cp1252 encodings.cp437 encodings.iso8859_2 encodings.iso8859_15 encodings.koi8_r"
).split()
_PACKAGES = ("gradviz.engine", "gradviz.trace")

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
    """Import what functions and C code would import on first use."""
    for name in _LATE:
        importlib.import_module(name)
    for package in _PACKAGES:
        for part in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(part.name)


def warm(runner: Runner) -> None:
    """Import late parts, exercise NumPy, and run a snippet that raises, is refused and does not compile."""
    import_late_parts()
    warm_arrays()
    gc.freeze()  # the collector ignores what is imported so far
    runner.rehearse([_SNIPPET, TRAINING, "import os\\n", "x = ("])
    runner.settle()
