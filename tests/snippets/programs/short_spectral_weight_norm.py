import torch
from torch import nn

torch.manual_seed(0)
lin = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
print(sorted(dict(lin.named_parameters())), lin(torch.ones(1, 3)).shape)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


sq = nn.Linear(3, 3)
nn.utils.parametrize.register_parametrization(sq, "weight", Symmetric())
print(torch.allclose(sq.weight, sq.weight.T), sq)
