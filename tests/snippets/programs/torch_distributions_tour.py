import torch
from torch import distributions as D
from torch.distributions import Normal, Categorical, Bernoulli, MultivariateNormal, kl_divergence

torch.manual_seed(0)
n = Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))
print(
    n, n.sample(), n.log_prob(torch.zeros(2)), n.entropy(), n.mean, n.stddev, n.rsample().shape, n.cdf(torch.zeros(2))
)
c = Categorical(logits=torch.tensor([1.0, 2.0, 3.0]))
print(c.sample((3,)), c.probs, c.log_prob(torch.tensor(2)), c.entropy())
print(
    Bernoulli(0.3).sample((4,)),
    MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(2)),
    kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)),
)
mu = torch.tensor(0.5, requires_grad=True)
loss = -Normal(mu, 1.0).log_prob(torch.tensor([1.0, 2.0])).sum()
loss.backward()
print(
    mu.grad,
    D.Uniform(0.0, 1.0).sample().shape,
    D.Beta(1.0, 1.0).mean,
    D.Poisson(3.0).variance,
    D.Gamma(2.0, 1.0).mean,
    D.Exponential(2.0).mean,
)
