import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)
calls = 0


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        global calls
        calls += 1
        return torch.relu(self.lin(x))


m = Counted()
x = torch.randn(2, 4, requires_grad=True)
y = checkpoint(m, x, use_reentrant=False)
y.sum().backward()
print("calls", calls, x.grad.abs().sum() > 0)
g1 = x.grad.clone()
x.grad = None
m(x).sum().backward()
print(torch.equal(g1, x.grad), calls)
seq = nn.Sequential(*[nn.Linear(4, 4) for _ in range(4)])
print(checkpoint_sequential(seq, 2, x, use_reentrant=False).shape)
# truncated BPTT
rnn = nn.RNNCell(3, 5)
h = torch.zeros(1, 5)
k = 3
losses = []
for t in range(9):
    h = rnn(torch.randn(1, 3), h)
    if (t + 1) % k == 0:
        loss = h.pow(2).sum()
        loss.backward()
        losses.append(round(loss.item(), 4))
        h = h.detach()
print(losses, rnn.weight_hh.grad.norm())
# accumulation equals a big batch
torch.manual_seed(1)
net = nn.Linear(3, 1)
X, Y = torch.randn(8, 3), torch.randn(8, 1)
nn.functional.mse_loss(net(X), Y).backward()
big = net.weight.grad.clone()
net.zero_grad()
for xb, yb in zip(X.chunk(4), Y.split(2)):
    (nn.functional.mse_loss(net(xb), yb) / 4).backward()
print(torch.allclose(big, net.weight.grad))
n = nn.utils.clip_grad_norm_(net.parameters(), 0.1)
print(n, nn.utils.clip_grad_value_(net.parameters(), 0.01), net.weight.grad)
total = torch.norm(torch.stack([p.grad.norm() for p in net.parameters()]))
print(f"{total:.5f}", nn.utils.get_total_norm([p.grad for p in net.parameters()]))
# EMA
ema = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
with torch.no_grad():
    net.weight.add_(1)
ema.update_parameters(net)
with torch.no_grad():
    net.weight.add_(1)
ema.update_parameters(net)
print(ema.module.weight - net.weight, ema.n_averaged)
# retain_grad
a = torch.tensor(2.0, requires_grad=True)
b = a * 3
b.retain_grad()
c = b**2
c.backward(retain_graph=True)
print(a.grad, b.grad, b.retains_grad, c.is_leaf, a.is_leaf)
c.backward()
print(a.grad)
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(c.grad)
d, e = torch.autograd.grad(a * 2, [a, torch.ones(1, requires_grad=True)], allow_unused=True)
print(d, e)
print(torch.autograd.grad(a * 2, [a, b], allow_unused=True, materialize_grads=True))
v = torch.randn(3, requires_grad=True)
u = v * 2
u.backward(torch.tensor([1.0, 0.1, 0.01]))
print(v.grad)
u2 = v * v
u2.backward(gradient=torch.ones_like(u2), inputs=[v])
print(v.grad.shape)
with torch.autocast("cpu", dtype=torch.bfloat16):
    z = net(X)
print(z.dtype, (X @ X.T).dtype)
