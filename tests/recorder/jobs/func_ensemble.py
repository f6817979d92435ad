"""torch.func: per-sample gradients, ensembles, functional_call, jacrev, hvp."""

import torch
from torch import nn
from torch.func import functional_call, grad, jacrev, jvp, stack_module_state, vmap, hessian, vjp

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
params = {k: v.detach() for k, v in net.named_parameters()}


def loss_of(p, x, y):
    return (functional_call(net, p, (x[None],)) - y).pow(2).sum()


x, y = torch.randn(5, 3), torch.randn(5)
per = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, x, y)
print({k: v.norm().item() for k, v in per.items()})
nets = [nn.Linear(3, 1) for _ in range(3)]
p, b = stack_module_state(nets)


def call(p, b, x):
    return functional_call(nets[0], (p, b), (x,))


print(vmap(call, (0, 0, None))(p, b, x).sum().item())
print(jacrev(lambda v: (v**3).cumsum(0))(torch.tensor([1.0, 2.0])).tolist())
print(hessian(lambda v: v.prod())(torch.tensor([1.0, 2.0, 3.0])).tolist())
print(jvp(torch.sin, (torch.tensor(1.0),), (torch.tensor(2.0),))[1].item())
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(2):
    loss = functional_call(net, dict(net.named_parameters()), (x,)).pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    g = grad(loss_of)({k: v.detach() for k, v in net.named_parameters()}, x[0], y[0])
    print(loss.item(), sum(v.abs().sum() for v in g.values()).item())
out, pull = vjp(lambda v: v.sin().sum(), torch.randn(3))
print(out.item(), pull(torch.tensor(1.0))[0].tolist())
