import torch
from torch.func import grad, vmap, jacrev, jacfwd, hessian, vjp, jvp, functional_call, grad_and_value
from functools import partial

f = lambda x: (torch.sin(x) * x).sum()
x = torch.tensor([0.5, 1.0])
print(grad(f)(x), grad(lambda t: grad(lambda u: u**3)(t))(torch.tensor(2.0)), grad_and_value(f)(x))
print(jacrev(lambda v: v**2)(x), jacfwd(torch.exp)(x), hessian(f)(x))
W = torch.arange(6.0).view(2, 3)
print(
    vmap(torch.dot)(W, W),
    vmap(lambda r, k: r * k, in_dims=(0, None))(W, 2.0),
    vmap(partial(torch.add, torch.ones(3)))(W),
)
out, back = vjp(torch.sin, x)
print(back(torch.ones(2))[0], jvp(torch.sin, (x,), (torch.ones(2),)))
net = torch.nn.Linear(2, 1)
params = {k: torch.ones_like(v) for k, v in net.named_parameters()}


def loss(params, x, y):
    return ((functional_call(net, params, (x,)) - y) ** 2).mean()


X, Y = torch.randn(3, 2, generator=torch.Generator().manual_seed(0)), torch.zeros(3, 1)
per_sample = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
print({k: v.shape for k, v in per_sample.items()}, grad(loss)(params, X, Y)["bias"])
print(
    torch.autograd.functional.jacobian(lambda v: v.exp(), x),
    torch.autograd.functional.hessian(f, x),
    torch.autograd.functional.vjp(f, x)[1],
)
