import math
import torch

torch.manual_seed(0)
pi, mu, sigma = torch.softmax(torch.randn(3), 0), torch.randn(3, requires_grad=True), torch.rand(3) + 0.1
x = torch.linspace(-1, 1, 5).unsqueeze(1)
log_prob = -0.5 * ((x - mu) / sigma) ** 2 - sigma.log() - 0.5 * math.log(2 * math.pi)
nll = -torch.logsumexp(log_prob + pi.log(), dim=1).mean()
nll.backward()
print(f"{nll.item():.4f}", mu.grad)
