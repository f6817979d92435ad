"""Full backward hooks and pre-hooks, of one module and of all, which change gradients; hooks that are removed."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
seen = []
net[0].register_full_backward_hook(lambda module, given, sent: seen.append(sent[0].sum().item().hex()))
halve = net[1].register_full_backward_pre_hook(lambda module, sent: (sent[0] / 2,))
net[1].register_full_backward_hook(lambda module, given, sent: (given[0] * 3,))
every = nn.modules.module.register_module_full_backward_hook(lambda module, given, sent: seen.append(type(module).__name__))
node = None
for step in range(4):
    x = torch.randn(5, 3, requires_grad=True)
    out = net(x)
    out.grad_fn.register_prehook(lambda given: (given[0] + 1,))
    out.grad_fn.register_hook(lambda sent, given: tuple(None if g is None else g * 2 for g in sent))
    out.sum().backward()
    print(step, x.grad.norm().item().hex(), [p.grad.norm().item().hex() for p in net.parameters()])
    if step == 1:
        halve.remove()
        every.remove()
print(seen)
