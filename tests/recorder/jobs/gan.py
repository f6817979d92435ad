import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

g, d = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1), nn.Sigmoid())
og, od = torch.optim.Adam(g.parameters(), 0.01), torch.optim.Adam(d.parameters(), 0.01)
for i in range(2):
    fake = g(torch.randn(4, 2))
    od.zero_grad()
    ld = F.binary_cross_entropy(d(torch.randn(4, 2)), torch.ones(4, 1))
    ld = ld + F.binary_cross_entropy(d(fake.detach()), torch.zeros(4, 1))
    ld.backward()
    od.step()
    og.zero_grad()
    lg = F.binary_cross_entropy(d(fake), torch.ones(4, 1))
    lg.backward()
    og.step()
    print(i, ld.item().hex(), lg.item().hex())
