"""Python's types where a dtype belongs, names of functions, and types that an operation refuses in its own words."""

import torch
import torch.nn.functional as F
from torch.nn.utils import prune
from torch.utils.data import DataLoader


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


x = torch.tensor([1.5, 0.0])
for kind in (float, int, bool, complex):
    attempt(lambda: x.to(kind))
    attempt(lambda: x.to(dtype=kind))
    attempt(lambda: x.to("cpu", kind))
    attempt(lambda: x.sum(dtype=kind))
    attempt(lambda: x.cumsum(0, dtype=kind))
    attempt(lambda: torch.zeros_like(x, dtype=kind))
    attempt(lambda: x.new_zeros(1, dtype=kind))
    attempt(lambda: torch.eye(1, dtype=kind))
attempt(lambda: torch.softmax(x, 0, dtype=float))
attempt(lambda: x.mean(dtype=int))
attempt(lambda: torch.nn.Linear(1, 1).to(dtype=float).weight.dtype)
attempt(lambda: torch.nn.Linear(1, 1).to(int))
attempt(lambda: torch.nn.Linear(1, 1, dtype=float).weight.dtype)
attempt(lambda: torch.nn.Linear(1, 1, dtype="float"))
attempt(lambda: x.to(2.5))
attempt(lambda: x.to(True))
attempt(lambda: x.to(1j))
attempt(lambda: x.to(dtype=list))
special = "i0 expit erf gammaln psi log_softmax xlogy ndtr softmax round".split()
print([getattr(torch.special, name).__name__ for name in special])
print(torch.i0.__name__, torch.sigmoid.__name__, F.logsigmoid.__name__)

for shape in ((1, 2, 6, 6), (2, 2, 6, 6), (1, 2, 120, 120)):
    for kernel in (3, 4):
        for given, kept in (("float", "double"), ("double", "float"), ("bfloat16", "float"), ("float", "cfloat")):
            image = torch.ones(shape).to(getattr(torch, given))
            weight = torch.ones(3, 2, kernel, kernel).to(getattr(torch, kept))
            attempt(lambda: F.conv2d(image, weight))
attempt(lambda: F.conv2d(torch.ones(1, 2, 6, 6), torch.ones(2, 1, 3, 3).double(), groups=2))
attempt(lambda: F.conv1d(torch.ones(1, 2, 6), torch.ones(2, 2, 5).double()))
attempt(lambda: F.conv_transpose2d(torch.ones(2, 2, 6, 6), torch.ones(2, 2, 3, 3).double()))

rows = torch.arange(6.0).view(2, 3)
for table, dim in ((rows, 0), (rows, 1), (rows[0], 0), (rows[None], 2), (rows[None], 1), (rows.T, 1)):
    for index in (5, -5):
        attempt(lambda: table.index_select(dim, torch.tensor([0, index])))

attempt(lambda: prune.random_structured(torch.nn.Linear(2, 2), "weight", 0.5, 4))
attempt(lambda: prune.ln_structured(torch.nn.Linear(2, 2), "weight", 0.5, 1, 2))
loader = DataLoader(range(4), 2)
attempt(lambda: setattr(loader, "batch_size", 3))
attempt(lambda: setattr(loader, "note", 3))
attempt(lambda: torch.optim.Optimizer([torch.nn.Parameter(x)], {}).step())

for info in (torch.finfo, torch.iinfo):
    for kind in (float, int, torch.int8, torch.int32, torch.bool, torch.half, 3):
        attempt(lambda: info(kind))
attempt(lambda: (torch.promote_types(float, torch.int32), torch.promote_types(torch.int8, int)))
attempt(lambda: (torch.can_cast(float, torch.int32), torch.can_cast(torch.int32, float)))
attempt(lambda: (torch.ones(2).view(float), torch.ones(2, dtype=torch.float64).view(int)))
