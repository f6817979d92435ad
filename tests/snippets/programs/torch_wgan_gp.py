import torch
from torch import nn, autograd

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))


def gradient_penalty(critic, real, fake, weight=10.0):
    alpha = torch.rand(real.size(0), 1).expand_as(real)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = critic(mixed)
    gradients = autograd.grad(
        outputs=scores,
        inputs=mixed,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    gradients = gradients.view(gradients.size(0), -1)
    return weight * ((gradients.norm(2, dim=1) - 1) ** 2).mean()


real, fake = torch.randn(4, 2), torch.randn(4, 2)
loss = critic(fake).mean() - critic(real).mean() + gradient_penalty(critic, real, fake)
loss.backward()
print(f"{loss.item():.4f}", [f"{p.grad.abs().sum().item():.3f}" for p in critic.parameters()])
