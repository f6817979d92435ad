# memory that is already there, read anew: asarray, frombuffer, view(dtype), and small functions of layout

import numpy as np
import torch


def tell(what, fn):
    try:
        found = fn()
    except Exception as e:
        found = f"{type(e).__name__}: {e}"
    print(what, found)


x = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 4.0, -1.0, 2.0]])
for dtype in (torch.int32, torch.float64, torch.uint8, torch.bfloat16, torch.complex64, torch.float32):
    tell(dtype, lambda: x.view(dtype))
tell("narrow", lambda: x[:, 1:].view(torch.float64))
tell("turned", lambda: x.t().view(torch.float16))
tell("same size, turned", lambda: x.t().view(torch.int32))
tell("odd", lambda: torch.ones(3, 5)[:, :4].view(torch.float64))
tell("number", lambda: torch.tensor(1.0).view(torch.float16))
tell("tracked", lambda: (torch.ones(2, requires_grad=True) * 2).view(torch.int32))
y = x.view(torch.int32)
y[0, 0] = 0
print(x, x._version, y._version)

values = np.array([1.0, 2.0])
shared, copied = torch.asarray(values), torch.asarray(values, copy=True)
values[0] = 7
print(shared, copied)
leaf = torch.ones(2, requires_grad=True)
print(torch.asarray(leaf) is leaf)
print(torch.asarray(leaf * 2, requires_grad=False), torch.asarray(leaf, requires_grad=False) is leaf, leaf)
print(torch.asarray(leaf, requires_grad=True) is leaf, leaf)
print(torch.asarray(leaf * 2, requires_grad=True), torch.asarray(torch.ones(2), requires_grad=True))
print(torch.asarray([1, 2], dtype=torch.float64, requires_grad=True), torch.asarray(b"abcd"))
tell("no alias", lambda: torch.asarray([1, 2], copy=False))
tell("no alias of type", lambda: torch.asarray(leaf, dtype=torch.int64, copy=False))
tell("integers", lambda: torch.asarray([1, 2], requires_grad=True))

raw = bytearray([0, 0, 128, 63, 1, 0, 0, 0])
read = torch.frombuffer(raw, dtype=torch.float32)
raw[3] = 64
print(read, torch.frombuffer(raw, dtype=torch.uint8, offset=2, count=3), torch.frombuffer(b"ab", dtype=torch.uint8))
for options in ({"count": 3}, {"offset": 9}, {"count": 0}, {"offset": 1}):
    tell(options, lambda: torch.frombuffer(raw, dtype=torch.float32, **options))
tell("no buffer", lambda: torch.frombuffer(3, dtype=torch.uint8))

z = torch.empty((1, 2, 3, 4))
print(z.dim_order(), z.to(memory_format=torch.channels_last).dim_order(), z[0, 0].expand(5, 3, 4).dim_order())
print(torch.empty((2, 2, 3, 4)).permute(2, 0, 3, 1).dim_order(ambiguity_check=True))
for check in (True, [torch.contiguous_format], [torch.contiguous_format, torch.channels_last], "ABC"):
    tell(check, lambda: z.dim_order(ambiguity_check=check))
tell("expanded", lambda: torch.empty((2, 1, 3)).expand(2, 4, 3).dim_order(ambiguity_check=True))

for shape in ((7, 3), (3, 7), (9, 2), (3, 3, 3)):
    print(torch.zeros(shape).fill_diagonal_(5, wrap=True))
print(torch.zeros(7, 3, requires_grad=True).clone().fill_diagonal_(5, wrap=True))
tell("unequal", lambda: torch.zeros(3, 3, 2).fill_diagonal_(5))

print(torch.range(1, 2, 0.25), torch.range(1, 4, dtype=torch.int64), torch.range(1, -2, -1, requires_grad=True))
tell("no end", lambda: torch.range(1))
print(torch.remainder(torch.tensor([-4.0, 4.0, -0.0, 0.0, -3.0]), 2), torch.tensor([-4.0, 4.0]) % torch.tensor(-2.0))
print(torch.rad2deg(torch.tensor([6.283, -1.57])), torch.ldexp(torch.tensor([1.0]), torch.tensor([1, 2])))
tell("tensordot", lambda: torch.tensordot(torch.ones(3, 4, 5), torch.ones(4, 3, 2), dims=2))

a, b = torch.arange(12.0).view(2, 2, 3), torch.arange(12.0).view(2, 3, 2)
print(torch.einsum(a, [..., 0, 1], b, [..., 1, 2], [..., 0, 2]))
print(torch.einsum(a[0], [0, 30], [30, 0]), torch.einsum(a[0], [1, 0]))
tell("letters", lambda: torch.einsum(a[0], [0, 52]))
tell("no operand", lambda: torch.einsum("ij"))
for mode in ("all", "any"):
    print(type(torch.autograd.graph.register_multi_grad_hook((leaf,), print, mode=mode)))
