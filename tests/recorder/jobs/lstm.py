import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

net, head = nn.LSTM(3, 5, num_layers=2, batch_first=True), nn.Linear(5, 1)
opt = torch.optim.RMSprop([*net.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(4, 7, 3), torch.randn(4, 1)
for i in range(3):
    opt.zero_grad()
    out, (h, c) = net(x)
    loss = F.mse_loss(head(out[:, -1]), y)
    loss.backward()
    opt.step()
    print(i, loss.item().hex())
