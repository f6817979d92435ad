import torch
from torch import nn

torch.manual_seed(0)
T = 10
betas = torch.linspace(1e-4, 0.2, T)
alphas = 1 - betas
alpha_bar = torch.cumprod(alphas, 0)


def q_sample(x0, t, noise=None):
    noise = torch.randn_like(x0) if noise is None else noise
    a = alpha_bar[t].view(-1, 1)
    return a.sqrt() * x0 + (1 - a).sqrt() * noise


class Denoiser(nn.Module):
    def __init__(self, dim=2):
        super().__init__()
        self.time = nn.Embedding(T, 4)
        self.net = nn.Sequential(nn.Linear(dim + 4, 16), nn.SiLU(), nn.Linear(16, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], dim=-1))


model = Denoiser()
opt = torch.optim.Adam(model.parameters(), 1e-2)
for i in range(10):
    x0 = torch.randn(16, 2) * 0.1 + 2
    t = torch.randint(0, T, (16,))
    noise = torch.randn_like(x0)
    loss = (model(q_sample(x0, t, noise), t) - noise).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.3f}")


@torch.no_grad()
def sample(n):
    x = torch.randn(n, 2)
    for step in reversed(range(T)):
        t = torch.full((n,), step, dtype=torch.long)
        eps = model(x, t)
        x = (x - betas[step] / (1 - alpha_bar[step]).sqrt() * eps) / alphas[step].sqrt()
        if step:
            x += betas[step].sqrt() * torch.randn_like(x)
    return x


print(sample(3).shape, alpha_bar[-1].item() < 1)
