import torch.nn as nn

net = nn.Sequential(nn.Linear(1, 1), nn.Dropout(), nn.BatchNorm1d(1))
print(net.training, [m.training for m in net])
net.eval()
print(net.training, [m.training for m in net])
net[1].train()
print(net.training, [m.training for m in net])
net.requires_grad_(False)
print([p.requires_grad for p in net.parameters()])
