"""Which views may be written to, who notices, and what is printed of those that may not."""

import warnings

import torch
from torch.autograd import Function


def tell(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    leaf_view = x[:]
print(leaf_view, leaf_view.requires_grad, leaf_view.is_leaf, (leaf_view * 2).grad_fn.next_functions)
tell("view of a leaf", lambda: leaf_view.add_(1))
with torch.no_grad():
    leaf_view += 1
print(leaf_view)

base = torch.ones(2)
before, (part, _) = base[:], base.unbind()
with torch.no_grad():
    quiet = base[:]
with torch.inference_mode():
    inferred = base[:]
    print(inferred.is_inference(), inferred._is_view(), torch.ones(1)[:].is_inference())
print(before.requires_grad, (before * 2).requires_grad)
base.mul_(x.clone())
print(before.requires_grad, (before * 2).requires_grad, (before + before).grad_fn, before.grad_fn)
for view in (part, quiet, inferred):
    print(view.requires_grad, view)
    tell("its grad_fn", lambda: view.grad_fn)
    tell("whether a leaf", lambda: view.is_leaf)
    tell("use", lambda: view * 2)
    tell("write", lambda: view.add_(1))
    tell("turn", lambda: view.unsqueeze_(0))

plain = torch.ones(2)
(row,) = plain.view(1, 2).unbind()
tell("one of one", lambda: row.copy_(x))
with torch.no_grad():
    inner = plain.view(2)
outer = inner.requires_grad_().view(2)
tell("view of a view", lambda: outer.div_(2))
free = torch.ones(3, requires_grad=True).clone()
print(free.swapaxes_(0, 0).swapdims_(0, 0).resize_as_.__name__, free.grad_fn)


class Any_(Function):
    @staticmethod
    def forward(ctx, a, what):
        if what == "middle":
            out = a.clone()
            ctx.mark_dirty(out)
            return out
        if what == "view of the middle":
            out = a.clone().view_as(a)
            ctx.mark_dirty(out)
            return out
        if what in ("written", "written and more", "written, kept back"):
            ctx.mark_dirty(a.add_(1))
            return {"written": a, "written and more": (a, a + 1)}.get(what, a.clone())
        if what == "fixed":
            out = a.view_as(a)
            ctx.mark_non_differentiable(out)
            return out
        return a if what == "itself" else a.view_as(a)

    @staticmethod
    def backward(ctx, *grads):
        return grads[0] * 3, None


def through(a, what):
    found = Any_.apply(a, what)
    out = found[0] if isinstance(found, tuple) else found
    print(out is a, out.requires_grad, out.grad_fn and out.grad_fn.name(), out._is_view(), out._version)
    out.add_(1)
    return out.grad_fn and [f and f.name() for f, _ in out.grad_fn.next_functions]


for what in (
    "middle",
    "view of the middle",
    "written",
    "written and more",
    "written, kept back",
    "fixed",
    "itself",
    "view",
):
    for kind in ("leaf", "computed", "view", "view of a leaf", "plain"):
        a = torch.ones(2, requires_grad=kind != "plain")
        given = {"computed": a * 1, "view": (a * 1)[:], "view of a leaf": a[:]}.get(kind, a)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tell(f"{what}, {kind}", lambda: through(given, what))
        print([str(each.message) for each in caught])

root = torch.ones(4, requires_grad=True)
whole = root * 1
Any_.apply(whole[1:3], "written")
whole.sum().backward()
print(root.grad)


class Once(Function):
    clear_saved_tensors_on_access = True

    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0] * ctx.saved_tensors[0]


tell("twice", lambda: Once.apply(root).sum().backward())
with torch.inference_mode():
    own = torch.ones(2, requires_grad=True)
    print(own.resize_(1, 2).shape, own.view(-1).requires_grad)
print(own.view(-1).is_inference(), own.view(-1).requires_grad, own.view(-1)._is_view())
