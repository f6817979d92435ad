import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
fast = torch.compile(net, backend="aot_eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    loss = fast(torch.ones(2, 4)).pow(2).sum()
    loss.backward()
    opt.step()
    print(i, f"{loss.item():.5f}")
