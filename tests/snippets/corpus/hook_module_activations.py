import torch
import torch.nn as nn

torch.manual_seed(1)
acts = {}
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
for name, module in net.named_modules():
    if name:
        module.register_forward_hook(lambda m, i, o, name=name: acts.setdefault(name, o.detach()))
net(torch.ones(1, 3))
for k, v in acts.items():
    print(k, v)
