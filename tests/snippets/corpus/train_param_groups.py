import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
opt = torch.optim.SGD(
    [
        {"params": net[0].parameters(), "lr": 0.1},
        {"params": net[1].parameters()},
    ],
    lr=0.01,
)
print([g["lr"] for g in opt.param_groups])
net(torch.ones(1, 2)).sum().backward()
before = [p.detach().clone() for p in net.parameters()]
opt.step()
for p, b in zip(net.parameters(), before):
    print((p.detach() - b))
