"""Modules as functions of their parameters, the way functorch had it."""

import warnings

warnings.simplefilter("ignore")
import torch, functorch
from functorch import make_functional, make_functional_with_buffers, grad, vmap

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
f, params = make_functional(net)
x, y = torch.randn(5, 3), torch.randn(5, 1)
print(
    len(params), [p.shape for p in params], type(params), [p.requires_grad for p in params], params[0] is net[0].weight
)
print(f(params, x).equal(net(x)))


def loss(params, x, y):
    return ((f(params, x) - y) ** 2).mean()


print([round(g.sum().item(), 5) for g in grad(loss)(params, x, y)])
print([g.shape for g in vmap(grad(loss), (None, 0, 0))(params, x, y)])
loss(params, x, y).backward()
print(params[1].grad, net[0].bias.grad)
bn = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
try:
    make_functional(bn)
except RuntimeError as e:
    print(e)
f, params, buffers = make_functional_with_buffers(bn, disable_autograd_tracking=True)
print(len(params), [b.shape for b in buffers], [p.requires_grad for p in params], f(params, buffers, x).shape)
tied = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
tied[1].weight = tied[0].weight
f, params = make_functional(tied)
print(len(params), f([p * 0 + 1 for p in params], torch.ones(1, 2)))
