import torch


class F1(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx._data = x * 2
        ctx.data = 3
        ctx.tag = "t"
        ctx.user = 1
        ctx.outputs = 3
        ctx.inputs = 3
        ctx.count = 3
        ctx.shapes = (1,)
        ctx.dtype = 3
        ctx.dim = 1
        ctx.shape = 3
        ctx.is_tensor = True
        ctx.blank = "b"
        ctx.taken = 1
        ctx.pushing = 1
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print(ctx._data, ctx.data, ctx.tag, ctx.user, ctx.outputs, ctx.is_tensor, ctx.blank, ctx.taken, ctx.pushing)
        return g * 2


x = torch.ones(2, requires_grad=True)
y = F1.apply(x)
print(y.grad_fn.name())
y.sum().backward()
print(x.grad)
for n in "tag name _foo foo label  history op children id parent node value version index".split():
    t = torch.ones(2, requires_grad=True)
    try:
        setattr(t, n, "a")
        print(n, getattr(t, n))
    except Exception as e:
        print(n, type(e).__name__, e)
    u = t * 2
    try:
        setattr(u, n, "b")
        print(n, getattr(u, n))
    except Exception as e:
        print(n, type(e).__name__, e)
    v = (u * u).sum()
    v.backward()
    print(t.grad)
t = torch.ones(2)
print(hasattr(t, "tag"), hasattr(t, "name"), t.name)
import torch.nn as nn


class M(nn.Module):
    def __init__(s):
        super().__init__()
        s.tag = "x"
        s.name = "n"
        s._data = 3
        s.lin = nn.Linear(2, 2)
        s._node = 1

    def forward(s, x):
        return s.lin(x)


m = M()
print(m.tag, m.name, m._data)
m.lin.weight.tag = "w"
m.lin.weight.name2 = 1
print(m(torch.ones(2)).shape, m.lin.weight.tag)
