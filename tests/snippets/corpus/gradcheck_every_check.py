"""What gradcheck and gradgradcheck find, in whole and in fast mode, and the order in which they look."""

import warnings

import torch
from torch.autograd import Function, gradcheck, gradgradcheck

warnings.simplefilter("ignore")


def tell(name, call):
    torch.manual_seed(0)
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


def doubles(*values, dtype=torch.double):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def too_large(x):
    y = x.clone()
    y.register_hook(lambda g: g * 1.5)
    return y


def shifted(x):
    y = x.clone()
    y.register_hook(lambda g: g + 1e-2)
    return y


class Jittery(Function):
    @staticmethod
    def forward(ctx, x, jitter):
        ctx.jitter = jitter
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return Jittery.apply(grad, ctx.jitter) * (1 + torch.rand_like(grad) * ctx.jitter), None


for fast in (False, True):
    tell("sin", lambda: gradcheck(torch.sin, doubles(1.0, 2.0), fast_mode=fast))
    tell(
        "complex",
        lambda: gradcheck(lambda z: (z * z, z.real), doubles(1 + 2j, 3j, dtype=torch.cdouble), fast_mode=fast),
    )
    tell("second", lambda: gradgradcheck(lambda x: x**3, doubles(1.0, 2.0), fast_mode=fast))
    tell("second linear", lambda: gradgradcheck(lambda x: x * 2, doubles(1.0, 2.0), fast_mode=fast))
    tell("too large", lambda: gradcheck(too_large, doubles(1.0, 2.0), fast_mode=fast))
    tell("too large, quietly", lambda: gradcheck(too_large, doubles(1.0, 2.0), fast_mode=fast, raise_exception=False))
    tell("shifted", lambda: gradcheck(shifted, doubles(1.0), atol=0.1, fast_mode=fast))
    tell("jittery", lambda: gradcheck(lambda x: Jittery.apply(x, 1e-6), doubles(1.0, 2.0), fast_mode=fast))
    tell(
        "jittery allowed",
        lambda: gradcheck(lambda x: Jittery.apply(x, 1e-6), doubles(1.0), nondet_tol=1e-5, fast_mode=fast),
    )
    tell("cut off", lambda: gradcheck(lambda x: x.detach(), doubles(1.0, 2.0), fast_mode=fast))
    tell("nothing", lambda: gradcheck(lambda x: (), doubles(1.0, 2.0), fast_mode=fast))
    tell(
        "other shape",
        lambda: gradcheck(lambda x: torch.cat([x, x]) if x > 0.9999999 else x, doubles(1.0), fast_mode=fast),
    )
tell("complex too large", lambda: gradcheck(too_large, doubles(1 + 1j, 2, dtype=torch.cdouble)))
tell("in single", lambda: gradcheck(too_large, doubles(1.0, 2.0, dtype=torch.float)))
tell("batched", lambda: gradcheck(torch.sin, doubles(1.0, 2.0), check_batched_grad=True))
tell("lost second", lambda: gradgradcheck(lambda x: (x**3).detach() * x, doubles(1.0, 2.0)))
tell("repeated memory", lambda: gradcheck(torch.sin, doubles(1.0).expand(3)))
tell("nothing to differentiate", lambda: gradcheck(torch.sin, torch.ones(2)))
tell("a number", lambda: gradcheck(lambda x: 3, doubles(1.0)))
tell("neither", lambda: gradcheck(torch.sin, doubles(1.0), check_backward_ad=False))
tell("batched forward", lambda: gradcheck(torch.sin, doubles(1.0), check_batched_forward_grad=True))
tell("another error", lambda: gradcheck(lambda x: x.view(3), doubles(1.0), raise_exception=False))
torch.manual_seed(1)
print(torch.testing.make_tensor(2, 2, dtype=torch.float, device="cpu", low=-1, high=1))
print(
    torch.testing.make_tensor((3,), dtype=torch.long, device="cpu"),
    torch.testing.make_tensor((3,), dtype=torch.bool, device="cpu"),
)
print(
    torch.testing.make_tensor((2, 3), dtype=torch.double, device="cpu", noncontiguous=True, requires_grad=True).stride()
)
print(torch.testing.make_tensor((2,), dtype=torch.cfloat, device="cpu"))
