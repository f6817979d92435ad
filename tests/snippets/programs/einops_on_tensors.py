import numpy as np
import torch
from einops import einsum, pack, parse_shape, rearrange, reduce, repeat, unpack, EinopsError
from einops.layers.torch import Rearrange, Reduce
from torch import nn

torch.manual_seed(0)
x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
y = rearrange(x, "b c d -> b (c d)")
print(y.shape, y.grad_fn.name())
print(rearrange(x, "b (c1 c2) d -> b d c1 c2", c1=3).shape, repeat(x, "b c d -> b c d n", n=2).shape)
print(reduce(x, "b c d -> b", "mean"), reduce(x, "b c d -> c", "max"), reduce(x, "b c (d1 2) -> b c d1", "sum").shape)
print(einsum(x, x, "b c d, b e d -> b c e").shape, parse_shape(x, "b _ d"))
p, shapes = pack([x, x[:, 0]], "b * d")
print(p.shape, shapes, [each.shape for each in unpack(p, shapes, "b * d")])
print(rearrange([torch.zeros(2), torch.ones(2)], "n a -> a n"))
a = rearrange(np.arange(6).reshape(2, 3), "a b -> b a")
print(a, a.dtype, reduce(np.ones((2, 3)), "a b -> a", "sum"), type(a).__name__)
print(reduce(x, "b c d -> b c", lambda t, axes: t.sum(dim=axes)).shape)
net = nn.Sequential(Rearrange("b c d -> b (c d)"), nn.Linear(12, 2), Reduce("b k -> b", "mean"))
print(net)
net(x).sum().backward()
print(x.grad.sum())
for bad in (lambda: rearrange(x, "a b -> b a"), lambda: Rearrange("a -> b"), lambda: rearrange(x, "b c d -> b c", c=2)):
    try:
        bad()
    except EinopsError as error:
        print(type(error).__name__, str(error).strip().splitlines()[0])


class Turned(Rearrange):
    def forward(self, x):
        return super().forward(x) * 2


print(Turned("a b c -> c b a")(x).shape)
