"""Warm-up, cosine, plateau, OneCycle; their learning rates."""

import warnings, torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, OneCycleLR, ReduceLROnPlateau, SequentialLR

torch.manual_seed(0)


def train(make):
    net = nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    sched = make(opt)
    for step in range(5):
        loss = (net(torch.randn(4, 3)) - 1).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step(loss.item()) if isinstance(sched, ReduceLROnPlateau) else sched.step()
        print(type(sched).__name__, step, loss.item(), opt.param_groups[0]["lr"])


train(lambda o: SequentialLR(o, [LambdaLR(o, lambda e: (e + 1) / 3), CosineAnnealingLR(o, 4)], [2]))
train(lambda o: ReduceLROnPlateau(o, patience=0))
train(lambda o: OneCycleLR(o, 0.2, total_steps=6))
