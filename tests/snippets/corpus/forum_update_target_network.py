import copy
import torch
import torch.nn as nn

torch.manual_seed(0)
online = nn.Linear(2, 1)
target = copy.deepcopy(online)
for p in target.parameters():
    p.requires_grad_(False)
loss = (online(torch.ones(1, 2)) - target(torch.ones(1, 2)) - 1).pow(2).sum()
loss.backward()
with torch.no_grad():
    for p in online.parameters():
        p.sub_(0.1 * p.grad)
    for t, p in zip(target.parameters(), online.parameters()):
        t.mul_(0.9).add_(p, alpha=0.1)
print(loss, target.weight, online.weight)
