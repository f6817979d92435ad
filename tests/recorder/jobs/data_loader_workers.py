import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.arange(12.0).view(12, 1), torch.arange(12.0))
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
if __name__ == "__main__":
    for x, y in DataLoader(data, batch_size=4, shuffle=True, num_workers=2):
        opt.zero_grad()
        loss = F.mse_loss(net(x).squeeze(1), y)
        loss.backward()
        opt.step()
        print(loss.item().hex())
