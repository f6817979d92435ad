import torch, torch.nn as nn, torch.nn.functional as F, functools
from torch.func import vmap, grad, jvp, hessian, jacrev, jacfwd, functional_call
import torch.autograd.forward_ad as fwAD


def tr(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)


# custom functions
class Sin(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos()

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t * x.cos()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x, k):
        return x**3 * k, 3 * x**2 * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, k = inputs
        r, d = output
        ctx.save_for_backward(x, d)
        ctx.k = k

    @staticmethod
    def backward(ctx, g, gd):
        x, d = ctx.saved_tensors
        return g * d + gd * 6 * x * ctx.k, None

    @staticmethod
    def vmap(info, in_dims, x, k):
        print(info.batch_size, info.randomness, in_dims, x.shape)
        return Cube.apply(x, k), (in_dims[0], in_dims[0])


class NoSetup(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class NoVmap(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, i, o):
        pass

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Both(NoVmap):
    generate_vmap_rule = True

    @staticmethod
    def vmap(info, in_dims, x):
        return x, 0


class BadV(NoVmap):
    @staticmethod
    def vmap(info, in_dims, x):
        return x


x = torch.randn(3)
X = torch.randn(2, 3)
tr(lambda: vmap(Sin.apply)(X))
tr(lambda: vmap(grad(lambda x: Sin.apply(x).sum()))(X))
tr(lambda: jvp(Sin.apply, (x,), (torch.ones(3),)))
tr(lambda: hessian(lambda x: Sin.apply(x).sum())(x))
tr(lambda: jacrev(Sin.apply)(x))
tr(lambda: jacfwd(Sin.apply)(x))
tr(lambda: grad(grad(lambda x: Sin.apply(x)))(x[0]))
tr(lambda: vmap(lambda x: Cube.apply(x, 2.0)[0])(X))
tr(lambda: vmap(lambda x: Cube.apply(x, 2.0)[0], in_dims=1)(X))
tr(lambda: grad(lambda x: Cube.apply(x, 2.0)[0].sum())(x))
tr(lambda: vmap(grad(lambda x: Cube.apply(x, 2.0)[0].sum()))(X))
tr(lambda: jvp(lambda x: Cube.apply(x, 2.0)[0], (x,), (x,)))
for C in (NoSetup, NoVmap, Both, BadV):
    tr(lambda: vmap(C.apply)(X))
    tr(lambda: grad(lambda x: C.apply(x).sum())(x))
