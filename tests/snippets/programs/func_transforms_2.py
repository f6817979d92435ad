import torch
from torch.func import (
    grad,
    vjp,
    jvp,
    jacrev,
    jacfwd,
    hessian,
    vmap,
    grad_and_value,
    linearize,
    functionalize,
    stack_module_state,
    functional_call,
)

torch.manual_seed(0)
f = lambda x: x.sin().sum()
x = torch.arange(3.0)
print(grad(f)(x))
print(grad(grad(torch.sin))(torch.tensor(0.5)))
v, pull = vjp(torch.sin, x)
print(v, pull(torch.ones(3)))
print(jvp(torch.exp, (x,), (torch.ones(3),)))
print(jacrev(torch.cumsum)(x, 0) if False else jacrev(lambda a: a.cumsum(0))(x))
print(jacfwd(lambda a: a**2)(x))
print(hessian(lambda a: (a**3).sum())(x))
print(vmap(torch.dot)(torch.eye(3), torch.arange(9.0).view(3, 3)))
print(vmap(lambda a, b: a + b, in_dims=(0, None))(x, torch.tensor([10.0, 20.0])))
print(vmap(lambda a: a.sum(), in_dims=1, out_dims=0)(torch.arange(6.0).view(2, 3)))
print(grad_and_value(f)(x))
print(grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, x + 1))
print(grad(lambda a: (a.sum(), a * 2), has_aux=True)(x))
w = torch.randn(3)
per_sample = vmap(grad(lambda w, x, y: ((x @ w) - y) ** 2), in_dims=(None, 0, 0))(w, torch.randn(4, 3), torch.randn(4))
print(per_sample.shape)
models = [torch.nn.Linear(2, 1) for _ in range(3)]
params, buffers = stack_module_state(models)
base = models[0]
out = vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), (0, 0, None))(params, buffers, torch.ones(4, 2))
print(out.shape, torch.allclose(out[1], models[1](torch.ones(4, 2))))
torch.manual_seed(1)
print(vmap(lambda a: a + torch.rand(1), randomness="same")(torch.zeros(3)))
try:
    vmap(lambda a: a + torch.rand(1))(torch.zeros(3))
except RuntimeError as e:
    print(str(e)[:120])
try:
    vmap(lambda a: a.item())(torch.zeros(3))
except RuntimeError as e:
    print(str(e)[:80])
try:
    grad(lambda a: a * 2)(x)
except RuntimeError as e:
    print(e)
