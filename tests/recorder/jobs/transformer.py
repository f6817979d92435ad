import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

net = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
opt = torch.optim.Adam(net.parameters(), lr=0.001)
x = torch.randn(2, 5, 8)
for i in range(2):
    opt.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    opt.step()
    print(i, loss.item().hex())
net.eval()
with torch.no_grad():
    print(net(x).sum().item().hex())
