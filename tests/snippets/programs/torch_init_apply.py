import torch
from torch import nn
import torch.nn.init as init

torch.manual_seed(0)


@torch.no_grad()
def init_weights(m):
    if type(m) == nn.Linear:
        m.weight.fill_(1.0)
    elif isinstance(m, nn.Conv2d):
        init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")


net = nn.Sequential(nn.Linear(2, 2), nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))
print(net.apply(init_weights)[0].weight)
w = torch.empty(2, 3)
for f in (
    init.uniform_,
    init.normal_,
    init.xavier_uniform_,
    init.xavier_normal_,
    init.kaiming_uniform_,
    init.ones_,
    init.zeros_,
    init.eye_,
    init.orthogonal_,
    init.trunc_normal_,
):
    print(f.__name__, f(w).shape, f"{w.sum().item():.3f}")
print(init.constant_(w, 0.3), init.calculate_gain("relu"), init.calculate_gain("tanh"))
lin = nn.Linear(3, 1)
nn.init.constant_(lin.bias, 0)
lin.weight.data.uniform_(-0.1, 0.1)
print(lin.bias, lin.weight.abs().max() <= 0.1)
for name, param in lin.named_parameters():
    if "weight" in name:
        nn.init.normal_(param, std=0.1)
    print(name, param.requires_grad, type(param).__name__)
