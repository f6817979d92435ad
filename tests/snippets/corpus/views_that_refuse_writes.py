import torch
from torch.autograd import Function


def attempt(label, action):
    try:
        print(label, action())
    except RuntimeError as error:
        print(label, error)


p = torch.ones(4, requires_grad=True)
with torch.no_grad():
    part = p[:2]
    print(part.requires_grad, part.is_leaf, part.grad_fn)
    part.fill_(3)
    print(part + 1)
print(part)
attempt("no_grad, its history", lambda: part.grad_fn)
attempt("no_grad, written", lambda: part.add_(1))

halves = (p * 1).chunk(2)
attempt("several views", lambda: halves[0].add_(1))
attempt("a view of one", lambda: halves[1].view(2, 1).mul_(2))
first, second = p.chunk(2)
attempt("several views of a leaf", lambda: first.zero_())
with torch.no_grad():
    p.add_(1)
attempt("their history", lambda: (second * 2).grad_fn)
print(second)

with torch.inference_mode():
    seen = p.view(4)
print(seen.requires_grad, seen._base is p)
attempt("inference", lambda: seen.add_(1))

plain = torch.ones(2, 2)
weight = torch.ones(2, requires_grad=True)


def rows():
    for row in plain:
        row.mul_(weight)


attempt("rows, tracked", rows)
for row in plain:
    row += 1
print(plain)


class AsIs(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 10


class Flat(AsIs):
    forward = staticmethod(lambda ctx, x: x.view(-1))
    backward = staticmethod(lambda ctx, grad: grad.view(2, 2))


same = AsIs.apply(p)
print(same._base is p, same.requires_grad)
attempt("returned as it is", lambda: same.add_(1))
flat = Flat.apply(torch.ones(2, 2, requires_grad=True) * 1)
attempt("a view from inside", lambda: flat.add_(1))

# one element of an expanded tensor is all of them
wide = torch.zeros(1).clone().expand(3)
wide[0] = 5
print(wide, wide._base)
attempt("all of it", lambda: wide.add_(1))

# what a write to a view saved of its result leads back through the view
leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
base = leaf * 1
view = base[1:]
view.exp_()
(g,) = torch.autograd.grad(base.sum(), leaf, create_graph=True)
print(g, torch.autograd.grad(g.sum(), leaf))
