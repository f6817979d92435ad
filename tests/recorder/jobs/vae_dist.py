"""A variational autoencoder and REINFORCE with torch.distributions."""

import torch
from torch import nn, distributions as D

torch.manual_seed(0)
enc, dec, prior = nn.Linear(6, 4), nn.Linear(2, 6), D.Normal(0.0, 1.0)
opt = torch.optim.Adamax([*enc.parameters(), *dec.parameters()], 0.01)
for step in range(2):
    x = torch.rand(5, 6)
    mu, raw = enc(x).chunk(2, -1)
    q = D.Normal(mu, nn.functional.softplus(raw))
    z = q.rsample()
    loss = -(D.Bernoulli(logits=dec(z)).log_prob(x.round()).sum(-1) - D.kl_divergence(q, prior).sum(-1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
policy = nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), 0.1)
for step in range(2):
    d = D.Categorical(logits=policy(torch.randn(4, 3)))
    a = d.sample()
    loss = -(d.log_prob(a) * a.float()).mean() - 0.01 * d.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item(), a.tolist())
