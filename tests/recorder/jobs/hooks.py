import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

w = torch.tensor([1.0, 2.0], requires_grad=True)
seen = []
handle = w.register_hook(lambda g: g * 2)
y = w * 3
y.register_hook(lambda g: seen.append(g.sum().item()))
y.retain_grad()
y.sum().backward()
handle.remove()
(w * 5).sum().backward()
net = nn.Linear(2, 1)
net.register_forward_hook(lambda m, i, o: o * 2)
net.register_full_backward_hook(lambda m, gi, go: seen.append(len(gi)))
net(w).sum().backward()
print(w.grad.tolist(), y.grad.tolist(), seen)

# a hook that is given no gradient
left, right = (torch.ones(2, requires_grad=True) * 2).unbind()
left.register_hook(lambda grad: print("left", grad))
right.register_hook(lambda grad: print("right", grad))
left.backward()
