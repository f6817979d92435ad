"""Tensors from nested data, indexing by lists, and the errors of both."""

import torch


def show(make):
    try:
        made = make()
        print(made.dtype, list(made.shape), made.tolist())
    except (TypeError, ValueError, RuntimeError, IndexError) as error:
        print(type(error).__name__, error)


one, two = torch.tensor(1.0), torch.ones(2)
for make in (
    lambda: torch.tensor([two, two]),
    lambda: torch.tensor([torch.ones(1), torch.ones(1)]),
    lambda: torch.tensor([one, torch.tensor(2)]),
    lambda: torch.tensor([[1, 2], two]),
    lambda: torch.tensor([1, [2]]),
    lambda: torch.tensor([[1, 2], 3]),
    lambda: torch.tensor([300], dtype=torch.uint8),
    lambda: torch.tensor([-1], dtype=torch.uint8),
    lambda: torch.tensor([2**40], dtype=torch.int32),
    lambda: torch.tensor([float("nan")], dtype=torch.int64),
    lambda: torch.tensor([1, "a"]),
    lambda: torch.tensor(["a"]),
    lambda: torch.tensor([10**30]),
    lambda: torch.full((1,), 1e40),
):
    show(make)

x = torch.arange(12.0).reshape(3, 4)
for items in ([[0, 1], [1, 2]], [[0, 1]], [0, [1, 2]], [slice(0, 2), 1], [0, 2], [[True, False, True]], 1.5, "a", [5]):
    show(lambda: x[items])
for items, value in ((0, None), (0, [1, 2, 3, 4]), (0, "a"), ([[0, 1], [1, 2]], -1.0), (0, 1j), (0, torch.ones(5))):

    def write():
        x[items] = value
        return x

    show(write)
show(lambda: torch.tensor(1.0)[0:1])
show(lambda: x[0:2:0])
with torch.device("cpu"):
    show(lambda: torch.ones(2))
print(torch.Size([2]) * 2, (1,) + torch.Size([2]))
