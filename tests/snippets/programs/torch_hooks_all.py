import torch
from torch import nn

torch.manual_seed(0)
activation = {}


def get_activation(name):
    def hook(model, input, output):
        activation[name] = output.detach()

    return hook


model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
handles = [m.register_forward_hook(get_activation(n)) for n, m in model.named_modules() if isinstance(m, nn.Linear)]
pre = model[0].register_forward_pre_hook(lambda m, args: print("pre", args[0].shape))
back = model[2].register_full_backward_hook(
    lambda m, gi, go: print("back", [g.shape for g in gi if g is not None], go[0].shape)
)
x = torch.ones(1, 3, requires_grad=True)
out = model(x)
out.sum().backward()
print({k: tuple(v.shape) for k, v in activation.items()})
for h in handles:
    h.remove()
pre.remove()
back.remove()
activation.clear()
model(x)
print(activation)
t = torch.tensor([1.0, 2.0], requires_grad=True)
h = t.register_hook(lambda grad: grad * 2)
(t * 3).sum().backward()
print(t.grad)
h.remove()
t.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
(t * 3).sum().backward()
saved = []
with torch.autograd.graph.saved_tensors_hooks(lambda v: saved.append(v.shape) or v, lambda v: v):
    (t**2).sum()
print(saved)
