import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for i in range(2):
    opt.zero_grad()
    loss = net(torch.ones(2, 4)).sum()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
    print(i, loss.item().hex())
