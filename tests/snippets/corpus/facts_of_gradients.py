import copy

import torch
from torch.autograd import Function


def attempt(label, action):
    try:
        print(label, action())
    except Exception as error:
        print(label, type(error).__name__, error)


class Seen(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        print("  grad", grad)
        return grad


x = torch.ones(2, requires_grad=True)


# passes within passes, far deeper than Python calls go
class Deep(Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.left = x.detach().requires_grad_() - 1
        return ctx.left.detach()

    @staticmethod
    def backward(ctx, grad):
        if ctx.left > 0:
            with torch.enable_grad():
                Deep.apply(ctx.left).sum().backward()
        return grad


start = torch.tensor(600.0, requires_grad=True)
Deep.apply(start).backward()
print(start.grad)

# the type of a gradient
g = torch.tensor([1.0, 2.0], requires_grad=True)
print(g.grad_dtype)
g.grad_dtype = torch.float64
(g * 2).sum().backward()
print(g.grad)
attempt("has one", lambda: setattr(g, "grad_dtype", torch.float16))
g.grad = None
attempt("another type", lambda: setattr(g, "grad", torch.ones(2)))
g.grad_dtype = None
g.grad = torch.ones(2, dtype=torch.float16)
(g * 2).sum().backward()
print(g.grad, g.grad_dtype)
attempt("not a type", lambda: setattr(g, "grad_dtype", 3))
attempt("computed", lambda: (g * 2).grad_dtype)

print(copy.copy(x), copy.deepcopy(x).requires_grad)

# attributes that can't go
for name in ("data", "requires_grad", "grad_fn"):
    attempt(name, lambda: delattr(x, name))
del x.grad
print(x.grad, x.volatile)

# names in messages
s = torch.ones(2, 3, requires_grad=True).sum(1)
t = s * s
with torch.no_grad():
    s += 1
attempt("number kept", lambda: t.sum().backward())
s = Seen.apply(torch.ones(2, requires_grad=True))
t = s * s
with torch.no_grad():
    s += 1
attempt("function", lambda: t.sum().backward())
attempt("out=", lambda: torch.mul(torch.ones(2), 2, out=torch.ones(2, requires_grad=True)))
