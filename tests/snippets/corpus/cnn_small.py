import torch
import torch.nn as nn
import torch.nn.functional as F


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3, padding=1)
        self.conv2 = nn.Conv2d(2, 3, 3)
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.relu(self.conv2(x))
        x = x.view(x.size(0), -1)
        return self.fc(x)


torch.manual_seed(0)
net = CNN()
x = torch.arange(72.0).reshape(2, 1, 6, 6) / 72
out = net(F.adaptive_avg_pool2d(x, 6))
print(out.shape if out.dim() else None)
