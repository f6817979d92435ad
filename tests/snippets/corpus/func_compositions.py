import torch, functools
from torch.func import (
    vmap,
    grad,
    jacrev,
    jacfwd,
    hessian,
    vjp,
    jvp,
    functional_call,
    stack_module_state,
    linearize,
    grad_and_value,
)

torch.manual_seed(0)


def tr(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


# per-sample grads
W = torch.randn(3, 2)
b = torch.randn(3)
X = torch.randn(4, 2)
Y = torch.randn(4, 3)


def loss(p, x, y):
    w, bb = p
    return ((x @ w.t() + bb - y) ** 2).mean()


g = vmap(grad(loss), in_dims=(None, 0, 0))((W, b), X, Y)
print(g)
g = vmap(grad_and_value(loss), in_dims=(None, 0, 0))((W, b), X, Y)
print(g)
# outer params requiring grad
P = torch.randn(2, requires_grad=True)


def f(w, x):
    return (w * P * x).sum() ** 2


w = torch.randn(2)
o = vmap(grad(f), in_dims=(None, 0))(w, X)
print(o)
o.sum().backward()
print(P.grad)
P.grad = None
o = vmap(lambda x: (P * x).sum())(X)
print(o)
o.pow(2).sum().backward()
print(P.grad)
P.grad = None
o = grad(lambda x: vmap(lambda r: (r * P).sum() ** 2)(x).sum())(X)
print(o)
o.sum().backward()
print(P.grad)
print(hessian(lambda x: (x**3).sum() * x[0])(w))
print(jacfwd(jacfwd(lambda x: (x**3).sum() * x[0]))(w))
print(jacrev(jacrev(lambda x: (x**3).sum() * x[0]))(w))
print(jacrev(jacfwd(lambda x: (x**3).sum() * x[0]))(w))
print(hessian(lambda x: x.exp().prod())(w))
print(hessian(lambda x: torch.tanh(x).softmax(0)[0])(w))
print(vmap(hessian(lambda x: x.exp().prod()))(X))
print(vmap(jacrev(lambda x: x.sin()))(X))
print(vmap(jacfwd(lambda x: x.sin()))(X))
print(jacrev(lambda x, y: (x * y, x.sum()), argnums=(0, 1))(w, w + 1))
print(jacfwd(lambda x, y: (x * y, x.sum()), argnums=(0, 1))(w, w + 1))
print(jacrev(lambda d: {"a": d["x"] ** 2, "b": d["x"].sum() * d["y"]})({"x": w, "y": w}))
print(
    jacrev(lambda x: x**2, chunk_size=1)(w),
    jacrev(lambda x: x**2, chunk_size=2)(X),
    jacrev(lambda x: (x**2, x.sum()), has_aux=True)(w),
    jacfwd(lambda x: (x**2, x.sum()), has_aux=True)(w),
)
# ensembling
ms = [torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)) for _ in range(3)]
params, buffers = stack_module_state(ms)
base = ms[0]


def call(p, bf, x):
    return functional_call(base, (p, bf), (x,))


print({k: v.shape for k, v in params.items()})
out = vmap(call, (0, 0, None))(params, buffers, X)
print(out.shape, out.flatten()[:4])
out.sum().backward()
print(params["0.weight"].grad)
print(vmap(call, (0, 0, 0))(params, buffers, torch.randn(3, 5, 2)).shape)
# per sample grads module
m = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8, 3))
p = {k: v.detach() for k, v in m.named_parameters()}
x = torch.randn(5, 1, 4, 4)
t = torch.randint(0, 3, (5,))


def ls(p, x, t):
    return torch.nn.functional.cross_entropy(functional_call(m, p, (x.unsqueeze(0),)), t.unsqueeze(0))


gs = vmap(grad(ls), (None, 0, 0))(p, x, t)
print({k: (v.shape, v.abs().sum()) for k, v in gs.items()})


# NTK
def fs(p, x):
    return functional_call(m, p, (x.unsqueeze(0),)).squeeze(0)


j1 = vmap(jacrev(fs), (None, 0))(p, x)
j2 = vmap(jacrev(fs), (None, 0))(p, x[:2])
r = sum(torch.einsum("Naf,Mbf->NMab", a.flatten(2), c.flatten(2)) for a, c in zip(j1.values(), j2.values()))
print(r.shape, r[0, 0])


def ntk(x1, x2):
    def get(x):
        return functools.partial(fs, x=x)

    o, vf = vjp(lambda p: fs(p, x1), p)

    def vjps(v):
        return jvp(lambda p: fs(p, x2), (p,), vf(v))[1]

    return vmap(vjps)(torch.eye(3))


print(vmap(vmap(ntk, (None, 0)), (0, None))(x, x[:2])[0, 0])
# perturbation
print(grad(lambda x: x * grad(lambda y: x + y)(x))(torch.tensor(2.0)))
print(grad(lambda x: x * jvp(lambda y: x * y, (x,), (torch.tensor(1.0),))[1])(torch.tensor(2.0)))
print(jvp(lambda x: jvp(lambda y: y**3, (x,), (torch.tensor(1.0),))[1], (torch.tensor(2.0),), (torch.tensor(1.0),)))
print(
    jvp(lambda x: grad(lambda y: y**4)(x), (torch.tensor(2.0),), (torch.tensor(1.0),)),
    jvp(lambda x: x * jvp(lambda y: x * y, (x,), (torch.ones(()),))[1], (torch.tensor(3.0),), (torch.tensor(1.0),)),
)
for fn in (
    lambda: grad(lambda x: x)(w),
    lambda: grad(lambda x: 3)(w),
    lambda: grad(lambda x: (x.sum(), 1, 2), has_aux=True)(w),
    lambda: grad(lambda x: x.sum(), argnums=2)(w),
    lambda: grad(lambda x: x.sum(), argnums=(0, 0))(w),
    lambda: grad(lambda x: x.sum(), argnums=())(w),
    lambda: grad(lambda x: x.sum(), argnums="a")(w),
    lambda: grad(lambda x: x.sum())(3.0),
    lambda: vjp(lambda x: x.long(), w),
    lambda: vjp(lambda x: 3, w),
    lambda: vjp(lambda x: x, w)[1]((w, w)),
    lambda: jvp(lambda x: x, w, w),
    lambda: jvp(lambda x: x, (w,), (w, w)),
    lambda: jvp(lambda x: x, (w,), (torch.ones(3),)),
    lambda: jvp(lambda x: 3, (w,), (w,)),
    lambda: jvp(lambda x: torch.ones(2), (w,), (w,), strict=True),
    lambda: jvp(lambda x: torch.ones(2), (w,), (w,)),
    lambda: jvp(lambda x: x, (), ()),
    lambda: jacrev(lambda x: x, chunk_size=0),
    lambda: jacrev(lambda x: x)(w.cfloat()),
    lambda: jacfwd(lambda x: x.cfloat())(w),
    lambda: jacrev(lambda x: None)(w),
    lambda: grad(lambda x: x.sum())(torch.ones(2).long()),
    lambda: functional_call(ms[0], {"foo": w}, X),
    lambda: functional_call(ms[0], {"0.weight": W}, X, strict=True),
    lambda: functional_call(ms[0], [params, params], X),
    lambda: functional_call(ms[0], 3, X),
    lambda: functional_call(ms[0], [3], X),
    lambda: stack_module_state([]),
    lambda: stack_module_state([ms[0], m]),
    lambda: jvp(lambda x: (x, 3), (w,), (w,), has_aux=True),
    lambda: torch.func.functionalize(lambda x: x.add_(1))(torch.ones(2)),
    lambda: grad(lambda x, y=2: (x * y).sum())(w, y=w),
    lambda: grad(lambda x: x.sum())(w.requires_grad_()),
    lambda: torch.func.debug_unwrap(w),
    lambda: vjp(lambda x: (x * 2, x.sum()), w),
):
    tr(fn)
with torch.no_grad():
    print(grad(lambda x: (x**2).sum())(w))


def fng(x):
    with torch.no_grad():
        c = x**2
    return (x - c).sum()


print(grad(fng)(w.detach()))
print(vmap(grad(lambda x: x.sin()))(torch.arange(3.0)))
print(torch.autograd.grad(P**2, P, torch.eye(2), is_grads_batched=True))
y = P**2
print(vmap(lambda v: torch.autograd.grad(y, P, v)[0])(torch.eye(2)))
