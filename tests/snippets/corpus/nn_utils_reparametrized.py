import torch
import torch.nn.utils.parametrize as parametrize
from torch import nn
from torch.nn.utils import spectral_norm, weight_norm, remove_weight_norm, remove_spectral_norm
from torch.nn.utils.parametrizations import spectral_norm as new_spectral, weight_norm as new_weight

torch.manual_seed(0)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


class Exp(nn.Module):
    def forward(self, X):
        return X.exp()

    def right_inverse(self, A):
        return A.log()


layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
A = layer.weight
print(torch.equal(A, A.T), A.grad_fn)
print(layer)
print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"))
print(list(layer.state_dict()), [n for n, _ in layer.named_parameters()])
layer(torch.ones(1, 3)).sum().backward()
print(layer.parametrizations.weight.original.grad)
print(type(layer), layer.parametrizations.weight[0])
with parametrize.cached():
    print(layer.weight is layer.weight)
print(layer.weight is layer.weight)
parametrize.remove_parametrizations(layer, "weight")
print(layer, torch.equal(layer.weight, A), isinstance(layer.weight, nn.Parameter))

scaled = nn.Linear(2, 2, bias=False)
with torch.no_grad():
    scaled.weight.abs_()
before = scaled.weight.clone()
parametrize.register_parametrization(scaled, "weight", Exp())
print(torch.allclose(scaled.weight, before))
scaled.weight = torch.full((2, 2), 2.0)
print(scaled.weight, scaled.parametrizations.weight.original)
try:
    parametrize.register_parametrization(scaled, "nothing", Exp())
except ValueError as error:
    print(error)

old = weight_norm(nn.Linear(3, 2))
print(list(old.state_dict()), old.weight.grad_fn)
old(torch.ones(1, 3)).sum().backward()
print(old.weight_g.grad, old.weight_v.grad)
remove_weight_norm(old)
print(old, list(old.state_dict()))
new = new_weight(nn.Linear(3, 2))
print(new, [tuple(p.shape) for p in new.parameters()], list(new.state_dict()))
print(new.weight.grad_fn)

torch.manual_seed(1)
spectral = spectral_norm(nn.Linear(3, 2))
print(list(spectral.state_dict()))
out = spectral(torch.ones(1, 3))
out.sum().backward()
print(out, spectral.weight_orig.grad)
print(torch.linalg.matrix_norm(spectral.weight, 2) < 1.2)
remove_spectral_norm(spectral)
print(list(spectral.state_dict()))
again = new_spectral(nn.Linear(3, 2))
print(again)
print(list(again.state_dict()), again(torch.ones(1, 3)))
again.eval()
print(again(torch.ones(1, 3)))
