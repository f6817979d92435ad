"""Forward, backward, pre hooks of modules, tensor hooks, post accumulate, removed on the way."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 1))
seen = []
h1 = net[0].register_forward_hook(lambda m, a, o: seen.append(float(o.mean())))
h2 = net[2].register_full_backward_hook(lambda m, gi, go: seen.append(float(go[0].sum())))
h3 = net[2].register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
h4 = net[0].register_forward_pre_hook(lambda m, a: (a[0] + 1,))
h5 = net[0].weight.register_post_accumulate_grad_hook(lambda p: seen.append(float(p.grad.norm())))
h6 = net[0].weight.register_hook(lambda g: g.clamp(-0.1, 0.1))


class Capture:
    def __enter__(self):
        self.out = []
        self.handle = nn.modules.module.register_module_forward_hook(lambda m, a, o: self.out.append(type(m).__name__))
        return self

    def __exit__(self, *_):
        self.handle.remove()


for step in range(3):
    x = torch.ones(3, 4) * (step + 1)
    with Capture() as c:
        y = net(x)
    y.retain_grad()
    loss = y.sum()
    loss.grad_fn.register_hook(lambda gi, go: seen.append(len(gi)))
    loss.grad_fn.register_prehook(lambda go: seen.append(float(go[0])))
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p -= 0.01 * p.grad
            p.grad.zero_()
    print(step, loss.item(), y.grad.tolist(), c.out)
    if step == 1:
        h3.remove()
        h6.remove()
print(seen)
