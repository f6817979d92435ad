import warnings

import torch
from torch.autograd import Function
from torch.autograd.function import InplaceFunction, once_differentiable


def attempt(label, action):
    try:
        print(label, action())
    except Exception as error:
        print(label, type(error).__name__, error)


class Scale(Function):
    @staticmethod
    def forward(ctx, x, by=2.0, plus=0.0):
        ctx.by = by
        return x * by + plus

    @staticmethod
    def backward(ctx, grad):
        return (grad * ctx.by, None, None)[: len(ctx.needs_input_grad)]


x = torch.tensor([1.0, 2.0], requires_grad=True)
for action in (
    lambda: Scale.apply(x, by=3.0),
    lambda: Scale.apply(x=x, by=4.0),
    lambda: Scale.apply(x),
    lambda: Scale.apply(x, plus=1.0),
    lambda: Scale.apply(by=1.0),
    lambda: Scale.apply(x, 1.0, by=2.0),
    lambda: Scale.apply(x, to=2.0),
):
    attempt("scale", lambda: torch.autograd.grad(action().sum(), x))


class Separate(Function):
    @staticmethod
    def forward(x, by=5.0):
        return x * by

    @staticmethod
    def setup_context(ctx, inputs, output):
        print("  inputs", len(inputs), inputs[1])
        ctx.by = inputs[1]

    @staticmethod
    def vjp(ctx, grad):
        return grad * ctx.by, None


attempt("separate", lambda: torch.autograd.grad(Separate.apply(x).sum(), x))
attempt("separate", lambda: torch.autograd.grad(Separate.apply(x, by=6.0).sum(), x))


class Both(Scale):
    vjp = staticmethod(lambda ctx, grad: grad)


attempt("both", lambda: torch.autograd.grad(Both.apply(x).sum(), x))
attempt("none", lambda: Function.apply(x))
attempt("vmap", lambda: Scale.vmap(None, (0,), x))
attempt("jvp", lambda: Scale.jvp(None, x))
print(Scale.generate_vmap_rule)


class Mixed(Function):
    """Outputs that are no tensors, or have no gradient."""

    @staticmethod
    def forward(ctx, x):
        fixed = x.round()
        ctx.mark_non_differentiable(fixed)
        ctx.save_for_backward(x, None)
        return 7, x * 3, None, fixed

    @staticmethod
    def backward(ctx, *grads):
        print("  got", grads)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ctx.saved_variables
        print(" ", caught[0].category.__name__, caught[0].message)
        return grads[1] * 3


number, value, nothing, fixed = Mixed.apply(x)
print(number, value, nothing, fixed)
value.sum().backward()
print(x.grad)


class Once(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * 2, b * 3

    @staticmethod
    @once_differentiable
    def backward(ctx, ga, gb):
        return ga * 2, gb * 3


y = torch.ones(2, requires_grad=True)
seed = torch.ones(2, requires_grad=True)
gx, gy = torch.autograd.grad(Once.apply(x, y), (x, y), (seed, seed), create_graph=True)
print(gx, gx.grad_fn is gy.grad_fn, gx.grad_fn.name(), len(gx.grad_fn.next_functions))
attempt("twice", lambda: gx.sum().backward())

raw = Mixed.apply(x)[1].grad_fn
print(raw.saved_tensors, len(raw._raw_saved_tensors), raw.name())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    made = Scale()
print(caught[0].message, made.next_functions, made.name())
attempt("called", lambda: made(x))
print(issubclass(InplaceFunction, Function), InplaceFunction(True).inplace)


class Boxed(Function):
    """Its backward gets one list of the gradients, which it may empty."""

    boxed_grads_call = True

    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, grads):
        first, second = grads
        grads.clear()
        return first * 2 + second * 3


z = torch.ones(2, requires_grad=True)
sum(Boxed.apply(z)).sum().backward()
print(z.grad)
