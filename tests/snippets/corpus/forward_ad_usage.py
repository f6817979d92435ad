import torch, torch.nn as nn
import torch.autograd.forward_ad as fwAD
from torch.func import functional_call


def tr(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)
primal = torch.randn(3, 3)
tangent = torch.randn(3, 3)


def fn(x, y):
    return x**2 + y**2


with fwAD.dual_level():
    dual_input = fwAD.make_dual(primal, tangent)
    assert fwAD.unpack_dual(dual_input).tangent is tangent
    dual_input_alt = fwAD.make_dual(primal, tangent.T)
    print(fwAD.unpack_dual(dual_input_alt).tangent is not tangent)
    plain_tensor = torch.randn(3, 3)
    dual_output = fn(dual_input, plain_tensor)
    jvp = fwAD.unpack_dual(dual_output).tangent
    print(jvp)
print(fwAD.unpack_dual(dual_output).tangent)
model = nn.Linear(3, 3)
inp = torch.randn(4, 3)
params = {name: p for name, p in model.named_parameters()}
tangents = {name: torch.rand_like(p) for name, p in params.items()}
with fwAD.dual_level():
    for name, p in params.items():
        delattr(model, name)
        setattr(model, name, fwAD.make_dual(p, tangents[name]))
    out = model(inp)
    jvp = fwAD.unpack_dual(out).tangent
    print(jvp.detach())
dual_params = {}
model = nn.Linear(3, 3)
params = dict(model.named_parameters())
with fwAD.dual_level():
    for name, p in params.items():
        dual_params[name] = fwAD.make_dual(p, torch.ones_like(p))
    out = functional_call(model, dual_params, inp)
    print(fwAD.unpack_dual(out).tangent.detach())


class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, foo):
        result = torch.exp(foo)
        ctx.result = result
        return result

    @staticmethod
    def jvp(ctx, gI):
        gO = gI * ctx.result
        del ctx.result
        return gO


fn = Fn.apply
primal = torch.randn(10, dtype=torch.double, requires_grad=True)
tangent = torch.randn(10, dtype=torch.double)
with fwAD.dual_level():
    d = fwAD.make_dual(primal, tangent)
    o = fn(d)
    print(fwAD.unpack_dual(o).tangent.detach())
import torch.func as ft

primal0 = torch.randn(10, 10)
primal1 = torch.randn(10, 10)
t0 = torch.randn(10, 10)
t1 = torch.randn(10, 10)


def f2(x, y):
    return x**2 + y**2


po, to = ft.jvp(f2, (primal0, primal1), (t0, t1))
print(to.sum())
import functools

print(ft.jvp(functools.partial(f2, y=primal1), (primal0,), (t0,))[1].sum())
# level semantic
tr(lambda: fwAD.make_dual(primal, tangent))
fwAD.enter_dual_level()
tr(fwAD.enter_dual_level)
x = fwAD.make_dual(torch.ones(2), torch.ones(2))
y = x * 2
print(y)
fwAD.exit_dual_level()
print(y)
with fwAD.dual_level():
    print(y, fwAD.unpack_dual(y))
with fwAD.dual_level() as l:
    print(l)
    x = fwAD.make_dual(torch.ones(2), torch.ones(2))
    print(x.shape, x.dtype, (x + 1j).dtype)
    c = fwAD.make_dual(torch.ones(2, dtype=torch.cfloat), torch.ones(2, dtype=torch.cfloat) * 1j)
    print(c.real, c.imag, c.abs(), c * c, c.conj())
    a = torch.ones(3)
    a[:2] = x
    print(a)
    a[0] = 7
    print(a)
    b = a.view(3, 1)
    b.mul_(2)
    print(a)
    s = torch.zeros(3)
    s.index_add_(0, torch.tensor([0, 1]), x)
    print(s)
    print(
        torch.where(x > 0, x, torch.zeros(2)),
        x.sort()[0],
        x.topk(1)[0],
        x.cumprod(0),
        torch.logsumexp(x, 0),
        x.var(),
        torch.linalg.norm(x),
        x.pow(3),
        2**x,
        x / x,
        1 / x,
        -x,
        abs(x),
        x % 0.3,
        x.clamp(0, 0.5),
        torch.maximum(x, torch.zeros(2)),
        torch.einsum("i,j->ij", x, x),
        x.outer(x),
        x.masked_fill(torch.tensor([True, False]), 0.0),
        x.gather(0, torch.tensor([1])),
        torch.nn.functional.gelu(x),
        torch.nn.functional.layer_norm(x, (2,)),
        torch.nn.functional.mse_loss(x, torch.zeros(2)),
    )
    w = torch.randn(2, requires_grad=True)
    o = (x * w).sin().sum()
    (g,) = torch.autograd.grad(o, w, create_graph=True)
    print(g.detach(), fwAD.unpack_dual(g).tangent.detach())
    o.backward()
    print(w.grad)

    def hook(g):
        print("hook", g)
        return g

    w.register_hook(hook)
    (x * w).sum().backward()
    print([p.tangent for p in map(fwAD.unpack_dual, x.unbind())])
    print(fwAD.unpack_dual(x.sum()).tangent.item())
    tr(lambda: fwAD.make_dual(torch.ones(2), torch.ones(2, 1)))
    tr(lambda: fwAD.make_dual([1.0], torch.ones(1)))
    tr(lambda: fwAD.unpack_dual(3))
    print(torch.nn.Parameter(torch.ones(2)) * x)
    print(x.detach().requires_grad, x.data, x.tolist(), x.sum().item(), f"{x.sum():.2f}")
    with torch.no_grad():
        q = x * 3
    print(q)
    print(
        x.repeat(2),
        x.expand(2, 2),
        torch.cat((x, x)),
        x.flip(0),
        x.roll(1),
        torch.stack([x] * 2).T,
        torch.tril(x.outer(x)),
        x.bool(),
        x.double(),
    )
