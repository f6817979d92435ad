"""Reductions, quotients, searches and fills in every element type: what comes out, and what is refused."""

import torch

inf, nan = float("inf"), float("nan")


def show(call):
    try:
        found = call()
        kind = f"{found.dtype} {tuple(found.shape)}" if isinstance(found, torch.Tensor) else type(found).__name__
        print(kind, found)
    except Exception as error:
        print(type(error).__name__, error)


for name in "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64".split():
    kind = getattr(torch, name)
    made = torch.tensor([3, 0, 2], dtype=kind)
    print(name)
    for wanted in (torch.bool, torch.uint8, torch.int32, torch.float64):
        show(lambda: made.sum(dtype=wanted))
        show(lambda: made.cumsum(0, dtype=wanted))
        show(lambda: made.prod(dtype=wanted))
    seven = torch.tensor([7, -7, 5], dtype=kind if name != "uint8" else torch.int64)
    show(lambda: torch.div(seven, made, rounding_mode="trunc"))
    show(lambda: torch.div(made, torch.tensor([2, -2, 3]), rounding_mode="trunc"))
    show(lambda: torch.bucketize(made, torch.tensor([1.0, 2.5])))
    show(lambda: torch.searchsorted(torch.tensor([1, 2]), made))
    show(lambda: torch.isin(made, torch.tensor([2])))
    show(lambda: torch.linalg.vecdot(made, torch.tensor([1.0, 2.0, 3.0])))
    show(lambda: torch.threshold(made, 1, 7))
    show(lambda: torch.threshold(made, 1, 1e10))
    show(lambda: made.index_fill(0, torch.tensor([0]), -1))
    show(lambda: made.index_fill(0, torch.tensor([0]), 1e10))
    show(lambda: torch.nn.functional.pad(made, (1, 1), value=-2.5))
    show(lambda: made.clone().fill_(1j))
    show(lambda: made.topk(1))
    show(lambda: made.kthvalue(1))
    show(lambda: +made)
    show(lambda: torch.clamp(made, max=torch.tensor([1j, 2, 3])))
    show(lambda: torch.clamp(made, torch.tensor([1j, 2, 3])))
    show(lambda: torch.sum(torch.tensor([3.25, inf, 1.5]), 0, out=torch.empty((), dtype=kind)))
show(lambda: torch.tensor([inf, 0.0, 2.0]).norm())
show(lambda: torch.dist(torch.tensor([inf, 1.0]), torch.tensor([0.0, 1.0])))
show(lambda: torch.dist(torch.zeros(2), torch.zeros(3)))
show(lambda: torch.nn.functional.normalize(torch.tensor([inf, 0.0, 2.0]), dim=0))
show(lambda: torch.unique(torch.tensor([nan, 1.0, nan]), return_inverse=True, return_counts=True))
show(lambda: torch.tensor([7.0, inf, -inf, nan], dtype=torch.bfloat16).nan_to_num())
show(lambda: torch.complex(torch.tensor([-2.5, nan]), torch.tensor([inf, 1.0])))
show(lambda: torch.tensor([0j, 1 + 2j]) ** -1)
show(lambda: torch.tensor([0j, 1 + 2j]) ** -2)
show(lambda: 0 ** torch.tensor([0j, -1 - 2j]))
show(lambda: torch.poisson(torch.tensor([nan, 1.0])))
show(lambda: torch.einsum("i,j->ij", torch.zeros(3), torch.tensor(1.0)))
show(lambda: torch.cdist(torch.zeros(3, dtype=torch.int64), torch.zeros(2, 3)))
show(lambda: torch.take_along_dim(torch.zeros(2, 2), torch.zeros(2), 0))
show(lambda: torch.take_along_dim(torch.zeros(2, 2), torch.zeros(2, 2).int(), 0))
show(lambda: torch.cross(torch.tensor(1.0), torch.tensor(1.0), dim=0))
show(lambda: torch.bucketize(torch.tensor([2.0, nan]), torch.tensor([3.0, 1.0, 2.0])))


def written(x, sign):
    y = torch.tensor([2.0, 0.5])
    if sign == "&":
        x &= y
    elif sign == "|":
        x |= y
    elif sign == "//":
        x //= y
    else:
        x %= y
    return x


for kind in (torch.float32, torch.int64, torch.complex64):
    for sign in ("&", "|", "//", "%"):
        show(lambda: written(torch.tensor(3, dtype=kind), sign))
