import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Flatten(), nn.Linear(6, 4), nn.Sigmoid(), nn.Linear(4, 3))
x = torch.rand(2, 2, 3)
for layer in net:
    x = layer(x)
    print(layer.__class__.__name__, "output shape:", x.shape)
print(x)
print(net[1].weight.shape, len(net))
