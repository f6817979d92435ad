import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        print("needs", ctx.needs_input_grad)
        return grad_output * result


class AddInPlace(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.mark_dirty(a)
        a.add_(b)
        return a

    @staticmethod
    def backward(ctx, g):
        return g, g


class SortLike(Function):
    @staticmethod
    def forward(ctx, x):
        values, idx = x.sort()
        ctx.mark_non_differentiable(idx)
        ctx.save_for_backward(idx)
        ctx.set_materialize_grads(False)
        return values, idx

    @staticmethod
    def backward(ctx, g1, g2):
        print("g2", g2)
        (idx,) = ctx.saved_tensors
        out = torch.zeros_like(g1)
        out.scatter_(0, idx, g1)
        return out


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class ThreeArgs(Function):
    @staticmethod
    def forward(x, power, flag=None):
        return x**power

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, power, flag = inputs
        ctx.save_for_backward(x)
        ctx.power = power

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.power * x ** (ctx.power - 1), None, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Exp.apply(x)
print(y, y.grad_fn.name(), type(y.grad_fn).__name__)
y.sum().backward()
print(x.grad)
a = x * 1
print(AddInPlace.apply(a, torch.ones(2)))
v, i = SortLike.apply(torch.tensor([3.0, 1.0, 2.0], requires_grad=True))
print(v, i, i.requires_grad)
v.sum().backward()
o = Once.apply(x)
(g,) = torch.autograd.grad(o.sum(), x, create_graph=True)
print(g)
try:
    g.sum().backward()
except RuntimeError as e:
    print(e)
t = ThreeArgs.apply(x, 3)
print(t)
x.grad = None
t.sum().backward()
print(x.grad)


class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, g


for cls in (Wrong,):
    try:
        cls.apply(x).sum().backward()
    except RuntimeError as e:
        print(e)


class Shape(Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, g):
        return torch.ones(3)


try:
    Shape.apply(x).backward()
except RuntimeError as e:
    print(e)


class NoBack(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1


try:
    NoBack.apply(x).sum().backward()
except NotImplementedError as e:
    print(e)
try:
    Exp()(x)
except Exception as e:
    print(type(e).__name__, e)
print(torch.autograd.gradcheck(Exp.apply, torch.randn(2, dtype=torch.double, requires_grad=True)))
