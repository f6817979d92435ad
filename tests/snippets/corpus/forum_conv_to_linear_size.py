import torch
import torch.nn as nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2))
x = torch.zeros(1, 1, 8, 8)
print(features(x).shape)
net = nn.Sequential(features, nn.Flatten(), nn.Linear(10, 2))
net(x)
