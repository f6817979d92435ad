import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
handles = []


def fw(name):
    def hook(mod, inp, out):
        print("fw", name, mod.__class__.__name__, inp[0].shape, out.shape, f"{out.mean().item():.4f}")

    return hook


def bw(name):
    def hook(mod, gi, go):
        print("bw", name, [None if g is None else tuple(g.shape) for g in gi], [tuple(g.shape) for g in go])

    return hook


for n, m in net.named_children():
    handles.append(m.register_forward_hook(fw(n)))
    handles.append(m.register_full_backward_hook(bw(n)))
net[0].register_forward_pre_hook(lambda m, i: print("pre", i[0].sum().item()))
net[2].register_full_backward_pre_hook(lambda m, go: print("bpre", go))
x = torch.randn(2, 4)
loss = net(x).pow(2).mean()
loss.backward()
for h in handles:
    h.remove()
net(x)
p = net[0].weight
p.grad = None
h = p.register_hook(lambda g: g * 0)
net(x).sum().backward()
print(p.grad.abs().sum())
h.remove()


def post(param):
    print("accumulated", tuple(param.shape), param.grad.norm() > 0)
    param.grad = None


for q in net.parameters():
    q.register_post_accumulate_grad_hook(post)
net(x).sum().backward()
print([q.grad for q in net.parameters()])


class Swap(nn.Module):
    def forward(self, a, *, scale=1.0):
        return a * scale


s = Swap()


def pk(mod, args, kwargs):
    kwargs["scale"] = 3.0
    return args, kwargs


s.register_forward_pre_hook(pk, with_kwargs=True)
s.register_forward_hook(lambda m, a, k, o: print(k) or o + 1, with_kwargs=True)
print(s(torch.ones(2), scale=2.0))
y = torch.ones(2, requires_grad=True)
z = y * 2
z.register_hook(lambda g: print("z grad", g))
z.grad_fn.register_hook(lambda gi, go: print("node", gi, go))
z.grad_fn.register_prehook(lambda go: print("node pre", go))
z.sum().backward()
print(len(net._forward_hooks), len(s._forward_pre_hooks))
gh = nn.modules.module.register_module_forward_hook(lambda m, i, o: print("global", type(m).__name__))
net(x)
gh.remove()
net(x)
