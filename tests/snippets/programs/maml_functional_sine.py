import torch
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap
from functools import partial
import math

torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(1, 10)
        self.fc2 = torch.nn.Linear(10, 1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


net = Net()
params = dict(net.named_parameters())


def loss_fn(params, x, y):
    return F.mse_loss(functional_call(net, params, (x,)), y)


def inner(params, x1, y1, x2, y2, lr=0.1):
    g = grad(loss_fn)(params, x1, y1)
    new = {k: params[k] - lr * g[k] for k in params}
    return loss_fn(new, x2, y2)


opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for it in range(5):
    amp = torch.rand(4, 1, 1) * 4 + 1
    phase = torch.rand(4, 1, 1) * math.pi
    x1, x2 = torch.rand(4, 8, 1) * 10 - 5, torch.rand(4, 8, 1) * 10 - 5
    y1, y2 = amp * torch.sin(x1 + phase), amp * torch.sin(x2 + phase)
    losses = vmap(partial(inner, params))(x1, y1, x2, y2)
    loss = losses.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, f"{loss.item():.4f}", losses.shape)
# the same with create_graph
fast = {k: v.clone() for k, v in params.items()}
for _ in range(2):
    l = loss_fn(fast, x1[0], y1[0])
    gs = torch.autograd.grad(l, list(fast.values()), create_graph=True)
    fast = {k: v - 0.01 * g for (k, v), g in zip(fast.items(), gs)}
outer = loss_fn(fast, x2[0], y2[0])
outer.backward()
print({k: round(p.grad.norm().item(), 3) for k, p in net.named_parameters()})
