import torch
from torch.func import grad, vmap, jvp, vjp, jacrev, jacfwd, hessian
import torch.autograd.forward_ad as fwAD


def show(t, *a):
    try:
        print(t, *a)
    except Exception as e:
        print(type(e), e)


def f(x):
    print(x)
    print(x.requires_grad, x.grad_fn, x.is_leaf)
    y = x.sin()
    print(y)
    print(y.requires_grad, y.grad_fn, y.is_leaf)
    print(torch.ones(2))
    print(x.detach())
    print(x.shape)
    print((x > 0))
    print(y.sum())
    return y.sum()


grad(f)(torch.tensor([1.0, 2.0]))
print("--- nested grad")


def g(x):
    def h(y):
        print(x, y, x * y, torch.ones(1))
        return (x * y).sum()

    return grad(h)(x).sum()


grad(g)(torch.tensor([1.0, 2.0]))
print("--- vmap")


def f(x):
    print(x)
    print(x.requires_grad, x.grad_fn, x.is_leaf, x.shape, x.stride(), x.ndim, x.dtype)
    y = x.sin()
    print(y)
    print(torch.ones(2))
    print(x > 0)
    print(y.sum())
    print(x[0], x.T, x.transpose(0, 1), x.unsqueeze(0), x.mean(0), y + torch.ones(2))
    try:
        y.sum().item()
    except Exception as e:
        print(type(e), e)
    try:
        if y.sum() > 0:
            pass
    except Exception as e:
        print(type(e), e)
    for fn in (
        lambda: x.tolist(),
        lambda: x.numpy(),
        lambda: x[x > 0],
        lambda: x.nonzero(),
        lambda: float(y.sum()),
        lambda: torch.randn(3),
        lambda: torch.nn.functional.dropout(x),
        lambda: torch.unique(x),
        lambda: torch.allclose(x, x),
        lambda: torch.equal(x, x),
        lambda: x.requires_grad_(),
        lambda: torch.bernoulli(x),
        lambda: len(x),
        lambda: list(x),
        lambda: torch.tensor([1.0]) + x,
        lambda: torch.zeros(2, 2).add_(x),
        lambda: x @ x,
        lambda: x.data,
        lambda: x.is_contiguous(),
        lambda: int(y.sum()),
        lambda: bool(y.sum()),
    ):
        try:
            print(fn())
        except Exception as e:
            print(type(e), e)
    return y


vmap(f)(torch.arange(8.0).view(2, 2, 2))
vmap(f, in_dims=1)(torch.arange(8.0).view(2, 2, 2))
print("--- vmap grad")


def f(x):
    print(x)
    y = (x * x).sum()
    print(y)
    return y


vmap(grad(f))(torch.arange(4.0).view(2, 2))
print("--- grad vmap")
grad(lambda x: vmap(f)(x).sum())(torch.arange(4.0).view(2, 2))
print("--- vmap vmap")
vmap(vmap(f))(torch.arange(8.0).view(2, 2, 2))
print("--- req")
x = torch.arange(4.0, requires_grad=True).view(2, 2)
print(vmap(lambda x: (print(x, x.requires_grad), x.sin())[1])(x))
print("--- jvp")


def f(x):
    print(x)
    y = x.sin()
    print(y, y.requires_grad)
    return y


jvp(f, (torch.arange(2.0),), (torch.ones(2),))
print("--- jacfwd")
jacfwd(f)(torch.arange(2.0))
print("--- hessian")
hessian(lambda x: f(x).sum())(torch.arange(2.0))
print("--- vjp")
o, v = vjp(f, torch.arange(2.0))
print(o, v(torch.ones(2)))
print("--- dual")
with fwAD.dual_level():
    d = fwAD.make_dual(torch.arange(2.0), torch.ones(2))
    print(d)
    print(d * 2, (d * 2).sum(), d[0])
    u = fwAD.unpack_dual(d * 3)
    print(u, type(u))
    print(u.tangent)
    d = fwAD.make_dual(torch.arange(2.0, requires_grad=True), torch.ones(2))
    print(d)
    p = fwAD.unpack_dual(torch.ones(1))
    print(p)
    z = (d * 2).detach()
    print(z, fwAD.unpack_dual(z))
    for fn in (
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(3)),
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(2).double()),
        lambda: fwAD.make_dual(torch.ones(2).long(), torch.ones(2)),
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(2).long()),
        lambda: fwAD.enter_dual_level(),
        lambda: fwAD.make_dual(torch.ones(2), 1.0),
        lambda: fwAD.make_dual(d, torch.ones(2)),
        lambda: fwAD.make_dual(torch.ones(2), d),
        lambda: fwAD.exit_dual_level(level=3),
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(2), level=1),
        lambda: d.numpy(),
        lambda: (d * 2).tolist(),
        lambda: d.data,
        lambda: d._fw_grad(0),
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(2, dtype=torch.cfloat)),
        lambda: d.sum().item(),
        lambda: repr(d.long()),
        lambda: d.view(2, 1),
        lambda: d.clone(),
    ):
        try:
            print(fn())
        except Exception as e:
            print(type(e), e)
for fn in (
    lambda: fwAD.make_dual(torch.ones(2), torch.ones(3)),
    lambda: fwAD.exit_dual_level(),
    lambda: fwAD.unpack_dual(torch.ones(1)),
    lambda: print(d),
):
    try:
        print(fn())
    except Exception as e:
        print(type(e), e)
