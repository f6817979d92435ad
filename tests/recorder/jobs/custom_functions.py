"""Custom Functions: saved tensors, ctx attributes, several outputs, non differentiable, mark_dirty, once_differentiable, double backward."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class STE(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class TopK(Function):
    @staticmethod
    def forward(ctx, x, k):
        v, i = x.topk(k)
        ctx.save_for_backward(i)
        ctx.n = x.shape[-1]
        ctx.mark_non_differentiable(i)
        return v, i

    @staticmethod
    @once_differentiable
    def backward(ctx, gv, gi):
        (i,) = ctx.saved_tensors
        return torch.zeros(*gv.shape[:-1], ctx.n).scatter_(-1, i, gv), None


class Cube(Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


class Scale(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


torch.manual_seed(1)
w = torch.randn(3, 5, requires_grad=True)
for _ in range(3):
    a = STE.apply(w * 3)
    v, i = TopK.apply(a + w, 2)
    z = Scale.apply(Cube.apply(v) * 1.0)
    loss = z.sum()
    loss.backward()
    print(loss.item(), w.grad.abs().sum().item(), i.tolist())
    with torch.no_grad():
        w.sub_(0.001 * w.grad)
    w.grad = None
x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
(h,) = torch.autograd.grad(g.sum(), x)
print(
    g.tolist(),
    h.tolist(),
    torch.autograd.gradcheck(Cube.apply, torch.tensor([1.0], dtype=torch.double, requires_grad=True)),
)


class Once(Function):
    clear_saved_tensors_on_access = True

    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a.clone()

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return grad * a * a


root = torch.arange(3.0, requires_grad=True)
Once.apply(root * 2).sum().backward()
print(root.grad)
