import torch
import torch.autograd.forward_ad as fwAD
from torch.autograd import Function, gradcheck


def said(call):
    try:
        print(call())
    except (RuntimeError, NotImplementedError) as error:
        print(type(error).__name__, str(error).splitlines()[0])


# A dual tensor looks at the memory of another one, and has a tangent of its own that its views share.
foo, bar = torch.tensor([1.0, 2.0]), torch.ones(2)
with fwAD.dual_level():
    dual = fwAD.make_dual(foo, bar)
    dual *= 2
    view = dual.narrow(0, 0, 1)
    view *= 2
    print(foo, fwAD.unpack_dual(foo).tangent, bar, fwAD.unpack_dual(view).tangent, fwAD.unpack_dual(dual).tangent)
    primal, tangent = fwAD.unpack_dual(dual)
    primal *= 2
    tangent *= 2
    print(fwAD.unpack_dual(dual), fwAD.unpack_dual(primal[:1]).tangent)
    plain = torch.zeros(2)
    plain[0] = dual[0]
    print(fwAD.unpack_dual(plain).tangent)
    said(lambda: torch.add(foo, foo, out=dual))
    said(lambda: torch.exp(dual, out=torch.empty(2)))
    said(lambda: torch.mm(dual.reshape(1, 2), torch.ones(2, 1), out=torch.empty(1, 1)))


class Narrow(Function):
    @staticmethod
    def forward(ctx, x, flag):
        ctx.flag, ctx.size = flag, x.size()
        return x.narrow(0, 0, 2)

    @staticmethod
    def vjp(ctx, grad):
        made = grad.new_zeros(ctx.size)
        made.narrow(0, 0, 2).copy_(grad)
        return made, None

    @staticmethod
    def jvp(ctx, tangent, _):
        part = tangent.narrow(0, 0, 2)
        if ctx.flag != "ok":
            part = part.clone()
        return part.view_as(part) if ctx.flag in ("of another", "of another base") else part


class Twice(Function):
    @staticmethod
    def forward(ctx, x, flag):
        ctx.mark_dirty(x)
        ctx.flag = flag
        return x.mul_(2)

    @staticmethod
    def vjp(ctx, grad):
        return grad * 2, None

    @staticmethod
    def jvp(ctx, tangent, _):
        if ctx.flag == "copied":
            return tangent * 2
        tangent.mul_(2)
        return tangent.clone() if ctx.flag == "not returned" else tangent


class Fixed(Function):
    @staticmethod
    def forward(ctx, x, y):
        out = y.clone()
        ctx.mark_non_differentiable(out)
        return x.clone(), out

    @staticmethod
    def jvp(ctx, x, y):
        return x, x.clone()


class Random(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def vjp(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        torch.randn_like(tangent)
        return tangent * 2


x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.double, requires_grad=True)
for flag in ("ok", "not a view", "of another"):
    said(lambda flag=flag: gradcheck(lambda t: Narrow.apply(t, flag), x, check_forward_ad=True))
said(lambda: gradcheck(lambda t: Narrow.apply(t.view_as(t), "of another base"), x, check_forward_ad=True))
for flag in ("ok", "copied", "not returned"):
    said(lambda flag=flag: gradcheck(lambda t: Twice.apply(t.clone(), flag), x, check_forward_ad=True))
with fwAD.dual_level():
    said(lambda: Fixed.apply(fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0)), torch.tensor(3)))
# Gradcheck batches tangents with the older vmap: functions without setup_context run in it, random numbers do not.
said(lambda: gradcheck(Random.apply, (x,), check_forward_ad=True, check_batched_forward_grad=True))
empty = torch.rand([0, 1], dtype=torch.complex128, requires_grad=True)
said(lambda: gradcheck(torch.diagonal, (empty,), check_forward_ad=True))

print("shape" in dir(x), "volatile" in dir(x))

# Casts that name a memory format or say that they copy, and the strides of dimensions of size 1.
print(torch.ones(()).double(memory_format=torch.preserve_format), x.to("cpu", torch.float64, True, True).grad_fn)
print(torch.ones(1, 3, dtype=torch.complex64).mH.stride(), torch.ones(()).expand(2, 1).stride())
print([each.stride() for each in torch.mode(torch.ones(2, 3, 4), 0, True)])
