import torch
from torch.func import (
    grad,
    vmap,
    jacrev,
    jacfwd,
    hessian,
    vjp,
    jvp,
    grad_and_value,
    functional_call,
    stack_module_state,
)
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn([])
cos_x = grad(lambda x: torch.sin(x))(x)
print(torch.allclose(cos_x, x.cos()), cos_x)
print(grad(grad(lambda x: torch.sin(x)))(x) + x.sin())
print(grad(lambda d: (d["a"] * d["b"]).sum())({"a": torch.ones(2), "b": torch.arange(2.0)}))
print(grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(torch.ones(2), torch.arange(2.0)))
print(jacrev(lambda x: {"o": x.sin()})(torch.zeros(2)))
print(hessian(lambda x: x.sin())(torch.ones(2)))
print(jacfwd(jacrev(lambda x: x.sin().sum()))(torch.ones(2)))
print(vmap(grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0))(torch.ones(2), torch.arange(6.0).view(3, 2)))
print(
    vmap(torch.dot)(torch.ones(3, 2), torch.arange(6.0).view(3, 2)),
    vmap(lambda x: x.sum(), in_dims=1)(torch.ones(2, 3)),
)
o, f = vjp(torch.sin, torch.zeros(2))
print(o, f(torch.ones(2)))
print(jvp(torch.sin, (torch.zeros(2),), (torch.ones(2),)))
print(grad_and_value(lambda x: (x**2).sum())(torch.ones(2)))
models = [nn.Linear(2, 1) for _ in range(3)]
params, buffers = stack_module_state(models)
base = models[0]


def fmodel(p, b, x):
    return functional_call(base, (p, b), (x,))


print(vmap(fmodel, in_dims=(0, 0, None))(params, buffers, torch.ones(4, 2)).shape)
print(torch.vmap(lambda x: x * 2)(torch.arange(3)))
w = torch.ones(2, requires_grad=True)
print(grad(lambda x: (x * w).sum())(torch.ones(2)))
try:
    grad(lambda x: x * 2)(torch.ones(2))
except RuntimeError as e:
    print(e)


def norm(v):
    return (v**2).sum()


print(vmap(jacrev(norm))(torch.ones(2, 3)), vmap(hessian(norm))(torch.ones(2, 3)).shape)


def loss(params, x, y):
    return ((x @ params["w"] + params["b"] - y) ** 2).mean()


p = {"w": torch.zeros(2), "b": torch.zeros(())}
X = torch.randn(8, 2)
Y = X @ torch.tensor([1.0, -2.0]) + 0.5
for i in range(50):
    g, l = grad_and_value(loss)(p, X, Y)
    p = {k: p[k] - 0.1 * g[k] for k in p}
print(p, l)
