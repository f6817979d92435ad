import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
t = torch.linspace(0, 1, 9).view(-1, 1).requires_grad_(True)
for i in range(20):
    opt.zero_grad()
    u = net(t)
    dudt = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    d2u = torch.autograd.grad(dudt, t, torch.ones_like(dudt), create_graph=True)[0]
    physics = ((d2u + 4 * u) ** 2).mean()
    start = (net(torch.zeros(1, 1)) - 1).pow(2).squeeze()
    loss = start + 1e-2 * physics
    loss.backward()
    opt.step()
    if i % 10 == 9:
        print(i, f"{loss.item():.4f}")
x = torch.tensor(2.0, requires_grad=True)
y = x**4
for k in range(4):
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    print(k + 1, y.item())
