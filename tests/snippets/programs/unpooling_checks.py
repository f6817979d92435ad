"""What max_unpool refuses: first as PyTorch's Python functions do, then as their kernel does."""

import torch
import torch.nn.functional as F


def tell(call):
    torch.manual_seed(0)
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error)[:250])


for n, unpool in ((1, F.max_unpool1d), (2, F.max_unpool2d), (3, F.max_unpool3d)):
    print(n)
    one, places = torch.ones((1,) * (n + 1)), torch.zeros((1,) * (n + 1)).long()
    for d in range(6):
        tell(lambda: unpool(torch.ones((1,) * d), torch.zeros((1,) * d).long(), 1).shape)
    tell(lambda: unpool(torch.ones((2,) * (n + 1)), 3, 2))
    tell(lambda: unpool(torch.ones((2,) * (n + 1)), None, 2))
    tell(lambda: unpool(None, one, 2))
    tell(lambda: unpool(torch.ones((0,) * (n + 1)), torch.ones((0,) * (n + 1)).long(), 2))
    tell(lambda: unpool(torch.ones((0, *(1,) * (n + 1))), torch.ones((0, *(1,) * (n + 1))).long(), 2).shape)
    tell(lambda: unpool(one, torch.zeros((1,) * (n + 1)), 2))
    tell(lambda: unpool(one, torch.zeros((2,) * (n + 1)), 2))
    tell(lambda: unpool(one, torch.zeros((2,) * (n + 1)).long(), 2))
    tell(lambda: unpool(one.int(), places, 2, output_size=(2,) * n))
    for given in (
        dict(padding=3),
        dict(padding=3, output_size=[None] * n),
        dict(output_size=["a"] * n),
        dict(padding="a"),
    ):
        tell(lambda: unpool(one, places, 1, **given))
    for size in ("a", None):
        tell(lambda: unpool(one, places, size))
    for size in ((1, None), (4,), (9, 9), 3, torch.Size([1, 1] + [2] * n), (2,) * n, [5] * n):
        tell(lambda: unpool(one, places, 2, output_size=size))
