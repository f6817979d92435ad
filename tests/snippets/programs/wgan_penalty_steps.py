import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(1)

LAMBDA_GP = 10
CRITIC_ITERATIONS = 3


class Critic(nn.Module):
    def __init__(self, features_d=8):
        super(Critic, self).__init__()
        self.disc = nn.Sequential(
            nn.Linear(2, features_d),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(features_d, 1),
        )

    def forward(self, x):
        return self.disc(x)


def gradient_penalty(critic, real, fake, device="cpu"):
    BATCH_SIZE, C = real.shape
    alpha = torch.rand((BATCH_SIZE, 1)).repeat(1, C).to(device)
    interpolated = real * alpha + fake * (1 - alpha)
    interpolated.requires_grad_(True)
    mixed_scores = critic(interpolated)
    gradient = torch.autograd.grad(
        inputs=interpolated,
        outputs=mixed_scores,
        grad_outputs=torch.ones_like(mixed_scores),
        create_graph=True,
        retain_graph=True,
    )[0]
    gradient = gradient.view(gradient.shape[0], -1)
    gradient_norm = gradient.norm(2, dim=1)
    return torch.mean((gradient_norm - 1) ** 2)


gen = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
critic = Critic()
opt_gen = optim.Adam(gen.parameters(), lr=1e-3, betas=(0.0, 0.9))
opt_critic = optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))
for step in range(4):
    real = torch.randn(16, 2) * 0.1 + torch.tensor([1.0, -1.0])
    for _ in range(CRITIC_ITERATIONS):
        fake = gen(torch.randn(16, 3))
        critic_real = critic(real).reshape(-1)
        critic_fake = critic(fake).reshape(-1)
        gp = gradient_penalty(critic, real, fake)
        loss_critic = -(torch.mean(critic_real) - torch.mean(critic_fake)) + LAMBDA_GP * gp
        critic.zero_grad()
        loss_critic.backward(retain_graph=True)
        opt_critic.step()
    gen_fake = critic(fake).reshape(-1)
    loss_gen = -torch.mean(gen_fake)
    gen.zero_grad()
    loss_gen.backward()
    opt_gen.step()
    print(f"Step {step} Loss D: {loss_critic:.4f}, loss G: {loss_gen:.4f}, gp {gp.item():.3f}")
