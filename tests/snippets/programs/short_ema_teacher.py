import copy
import torch
from torch import nn


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = copy.deepcopy(model)
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.mul_(self.decay).add_(p.data, alpha=1 - self.decay)


net = nn.Linear(1, 1)
nn.init.ones_(net.weight)
nn.init.zeros_(net.bias)
ema = EMA(net, 0.9)
with torch.no_grad():
    net.weight.fill_(11.0)
for _ in range(3):
    ema.update(net)
    print(round(ema.shadow.weight.item(), 3))
