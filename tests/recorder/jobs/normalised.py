"""Parametrizations (spectral, weight norm, orthogonal), pruning, buffers."""

import torch
from torch import nn
from torch.nn.utils import parametrize, prune
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm

torch.manual_seed(0)


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).transpose(-1, -2)


net = nn.Sequential(
    spectral_norm(nn.Linear(4, 4)),
    weight_norm(nn.Linear(4, 4)),
    orthogonal(nn.Linear(4, 4)),
    nn.Linear(4, 4),
    nn.Linear(4, 1),
)
parametrize.register_parametrization(net[3], "weight", Symmetric())
prune.l1_unstructured(net[4], "weight", 0.5)
opt = torch.optim.SGD(net.parameters(), 0.05)
for step in range(3):
    with parametrize.cached():
        loss = net(torch.randn(6, 4)).pow(2).mean() + net[3].weight.abs().mean()
        opt.zero_grad()
        loss.backward()
    opt.step()
    print(step, loss.item(), net[4].weight.detach().tolist())
