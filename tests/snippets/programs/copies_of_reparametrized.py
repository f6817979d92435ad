import copy

import torch
from torch import nn
from torch.nn.utils import parametrizations
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(0)
x = torch.ones(1, 3)
for wrap in parametrizations.weight_norm, parametrizations.spectral_norm, parametrizations.orthogonal:
    model = nn.Sequential(wrap(nn.Linear(3, 3)), nn.ReLU())
    model.eval()
    twin = copy.deepcopy(model)
    averaged = AveragedModel(model)
    averaged.update_parameters(model)
    print(wrap.__name__, torch.equal(twin(x), model(x)), torch.equal(averaged(x), model(x)), averaged.n_averaged.item())
    with torch.no_grad():
        model[0].bias.add_(100)
    print(torch.equal(twin(x), model(x)), type(twin[0]) is type(model[0]), type(twin[0]).__name__)
    twin(x).sum().backward()
    print(sorted(name for name, each in twin.named_parameters() if each.grad is not None))
    print(all(each.grad is None for each in model.parameters()))
