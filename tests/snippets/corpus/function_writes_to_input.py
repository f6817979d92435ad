import torch
from torch.autograd import Function


def function(given):
    class Twice(Function):
        forward = staticmethod(given)

        @staticmethod
        def backward(ctx, *grads):
            return grads[0] * 2

    return Twice


def one(ctx, a):
    a.mul_(2)
    ctx.mark_dirty(a)
    return a


def two(ctx, a):
    return one(ctx, a), a


def lost(ctx, a):
    return one(ctx, a).clone()


def wrong(ctx, a):
    ctx.mark_dirty(3)
    return a


def kept(ctx, a):
    ctx.save_for_backward(3)
    return a


x = torch.ones(3, 3, requires_grad=True)
for forward in (one, two, lost, wrong, kept):
    for label, make in (
        ("computed", lambda: x * 1),
        ("view", lambda: (x * 1)[0]),
        ("leaf", lambda: torch.ones(3, requires_grad=True)),
        ("plain", lambda: torch.ones(3)),
    ):
        given = make()
        try:
            found = function(forward).apply(given)
        except Exception as error:
            print(forward.__name__, label, type(error).__name__, error)
            continue
        for each in found if isinstance(found, tuple) else (found,):
            name = each.grad_fn and each.grad_fn.name()
            print(forward.__name__, label, name, each is given, each._is_view(), each._version)

base = x * 1
row = base[0]
function(one).apply(row)
print(base.grad_fn.name(), row.grad_fn.name())
base.sum().backward()
print(x.grad)
