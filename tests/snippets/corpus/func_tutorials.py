import torch
from torch.func import vmap, grad, vjp, jvp, jacrev, jacfwd, hessian, functional_call, stack_module_state
import torch.func

# MAML-like, nested, ensembles with dropout, jacobian tutorials
torch.manual_seed(0)
D = 4
W = torch.randn(D, D)
b = torch.randn(D)
x = torch.randn(D)


def predict(weight, bias, x):
    return torch.nn.functional.linear(x, weight, bias).tanh()


def cj(f, xp):
    rows = []
    xp = xp.clone().requires_grad_()
    uv = torch.eye(D)
    return torch.stack([torch.autograd.grad(predict(W, b, xp), xp, v)[0] for v in uv])


ja = cj(predict, x)
fv, vjp_fn = vjp(lambda x: predict(W, b, x), x)
(ft,) = vmap(vjp_fn)(torch.eye(D))
print(torch.allclose(ja, ft))
print(ft)
print(torch.allclose(jacrev(predict, argnums=2)(W, b, x), ja), torch.allclose(jacfwd(predict, argnums=2)(W, b, x), ja))
print(hessian(predict, argnums=2)(W, b, x))
print(
    jacfwd(jacfwd(predict, argnums=2), argnums=2)(W, b, x).sum(),
    jacrev(jacrev(predict, argnums=2), argnums=2)(W, b, x).sum(),
)
xb = torch.randn(3, D)
cf = vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))
print(cf(W, b, xb).shape, cf(W, b, xb)[1])
ch = vmap(hessian(predict, argnums=2), in_dims=(None, None, 0))
print(ch(W, b, xb).shape, ch(W, b, xb).sum())


def hvp(f, p, t):
    return jvp(grad(f), p, t)[1]


print(hvp(lambda x: x.sin().sum(), (x,), (torch.ones(D),)))


def hvp2(f, p, v):
    _, fn = vjp(grad(f), *p)
    return fn(v)[0]


print(hvp2(lambda x: x.sin().sum(), (x,), torch.ones(D)))
(jf, aux) = jacrev(lambda w, x: (predict(w, b, x), x), argnums=(0, 1), has_aux=True)(W, x)
print([j.shape for j in jf], aux)


# maml
def net(p, x):
    return torch.relu(x @ p["w1"] + p["b1"]) @ p["w2"]


p = {"w1": torch.randn(1, 5), "b1": torch.zeros(5), "w2": torch.randn(5, 1)}


def inner(task):
    x1, y1, x2, y2 = task

    def loss(p, x, y):
        return ((net(p, x) - y) ** 2).mean()

    g = grad(loss)(p, x1, y1)
    p2 = {k: p[k] - 0.1 * g[k] for k in g}
    return loss(p2, x2, y2)


def outer(p_):
    global p
    p = p_
    tasks = (torch.linspace(-1, 1, 6).view(3, 2, 1),) * 4
    return vmap(inner)(tasks).mean()


p0 = p
l0 = outer(p0)
print(l0)
g = grad(outer)(p0)
print({k: v.norm() for k, v in g.items()})
p = {k: v.clone().requires_grad_() for k, v in p0.items()}
l = outer(p)
l.backward()
print({k: v.grad.norm() for k, v in p.items()}, l)
# dropout ensembling, same/different
torch.manual_seed(1)
print(vmap(lambda x: torch.nn.functional.dropout(x), randomness="different")(torch.ones(2, 4)))
print(vmap(lambda x: torch.nn.functional.dropout(x), randomness="same")(torch.ones(2, 4)))
print(vmap(vmap(lambda x: x + torch.rand(2), randomness="same"), randomness="different")(torch.zeros(2, 2, 2)))
# vmap over autograd
y = torch.randn(3, requires_grad=True)
z = y.exp().sum() * y
J = vmap(lambda v: torch.autograd.grad(z, y, v, retain_graph=True)[0])(torch.eye(3))
print(J)
# training an ensemble
models = [torch.nn.Linear(2, 1) for _ in range(3)]
params, buffers = stack_module_state(models)
opt = torch.optim.SGD(list(params.values()), lr=0.1)
X = torch.randn(8, 2)
Y = X.sum(1, keepdim=True)
for i in range(3):
    opt.zero_grad()
    out = vmap(lambda p, b: functional_call(models[0], (p, b), (X,)))(params, buffers)
    loss = ((out - Y) ** 2).mean((1, 2))
    loss.sum().backward()
    opt.step()
    print(loss.detach())
print(params["weight"].grad.shape, out.grad_fn is not None, out.requires_grad)
# per-sample grads in chunks, with hooks
print(vmap(grad(lambda w, x: (w * x).sum().sin()), in_dims=(None, 0), chunk_size=2)(torch.ones(2), torch.randn(5, 2)))
x = torch.randn(2, 3)
print(vmap(lambda a: {"s": a.sum(), "m": [a.max(), a.min()]})(x))
print(vmap(lambda t: t[0] * t[1])((x, x)))
print(vmap(lambda a, b: a @ b, in_dims=(0, 1))(x, x.t()))
print(vmap(vmap(torch.dot))(torch.ones(2, 3, 4), torch.ones(2, 3, 4)))
print(torch.vmap(torch.mm, (None, 0))(torch.eye(2), torch.randn(3, 2, 2)).shape)
print(
    jacrev(torch.sin)(x[0]).diag(),
    grad(lambda x: torch.linalg.det(x))(torch.eye(2)),
    vmap(torch.linalg.inv)(torch.eye(2).expand(2, 2, 2)),
    vmap(torch.trace)(torch.ones(2, 3, 3)),
    vmap(torch.linalg.eigvalsh)(torch.eye(2).expand(2, 2, 2)),
)
print(
    vmap(lambda x: x.where(x > 0, torch.tensor(0.0)))(x),
    vmap(lambda x: torch.clamp(x, min=0))(x),
    vmap(lambda i: torch.eye(3)[i])(torch.tensor([0, 2])),
    vmap(lambda x: torch.nn.functional.pad(x, (1, 0)))(x),
    vmap(lambda x: x.cumsum(0))(x),
)
print(
    torch.func.vmap(lambda x: x.expand(2, 3))(x).shape,
    vmap(lambda x: x.view(-1))(x[:, :, None]).shape,
    vmap(lambda x: torch.stack((x, x), 1))(x).shape,
    vmap(lambda x: x.norm())(x),
    vmap(lambda x: x.to(torch.int64))(x),
    vmap(lambda x: x.type(torch.float64))(x).dtype,
)
