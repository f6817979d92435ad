"""Saves model, optimizer, scheduler and random state; resumes in the middle; deepcopy and pickle of a module."""

import copy, io, pickle, torch
from torch import nn

torch.manual_seed(0)


def make():
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    opt = torch.optim.Adam(net.parameters(), 0.02, amsgrad=True)
    return net, opt, torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)


def train(net, opt, sched, n):
    for _ in range(n):
        loss = net(torch.randn(8, 3)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(loss.item(), sched.get_last_lr())


net, opt, sched = make()
train(net, opt, sched, 2)
file = io.BytesIO()
torch.save(
    {
        "net": net.state_dict(),
        "opt": opt.state_dict(),
        "sched": sched.state_dict(),
        "rng": torch.get_rng_state(),
        "whole": list(net.parameters()),
    },
    file,
)
print(len(file.getvalue()), len(pickle.dumps(copy.deepcopy(net))))
train(net, opt, sched, 2)
file.seek(0)
state = torch.load(file, weights_only=True)
net, opt, sched = make()
net.load_state_dict(state["net"])
opt.load_state_dict(state["opt"])
sched.load_state_dict(state["sched"])
torch.set_rng_state(state["rng"])
train(net, opt, sched, 2)
print(sorted(vars(net[0].weight)))
