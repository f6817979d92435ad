import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

net = nn.Linear(4, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = net(torch.ones(2, 4)).pow(2).sum()
    loss.backward()
    opt.step()
    print(i, loss.item().hex())
