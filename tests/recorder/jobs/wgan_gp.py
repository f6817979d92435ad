"""Two optimizers, gradient penalty through double backward, detach, requires_grad_ toggled."""

import torch
from torch import nn

torch.manual_seed(0)
G, D = (
    nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 3)),
    nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)),
)
g_opt, d_opt = (
    torch.optim.Adam(G.parameters(), 1e-2, betas=(0.0, 0.9)),
    torch.optim.Adam(D.parameters(), 1e-2, betas=(0.0, 0.9)),
)
for step in range(3):
    real = torch.randn(4, 3)
    for p in D.parameters():
        p.requires_grad_(True)
    for _ in range(2):
        fake = G(torch.randn(4, 2)).detach()
        mix = torch.lerp(real, fake, torch.rand(4, 1)).requires_grad_(True)
        (grad,) = torch.autograd.grad(D(mix).sum(), mix, create_graph=True)
        penalty = (grad.norm(2, dim=1) - 1).pow(2).mean()
        d_loss = D(fake).mean() - D(real).mean() + 10 * penalty
        d_opt.zero_grad()
        d_loss.backward()
        d_opt.step()
    for p in D.parameters():
        p.requires_grad_(False)
    g_loss = -D(G(torch.randn(4, 2))).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    print(step, d_loss.item(), g_loss.item(), penalty.item())
