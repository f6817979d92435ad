import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Dropout(0.2), nn.Linear(16, 3))
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
for i in range(4):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    print(i, loss.item().hex())
