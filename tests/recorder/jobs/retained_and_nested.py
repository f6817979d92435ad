import torch
import torch.nn as nn

torch.manual_seed(0)
a = torch.tensor(2., requires_grad=True)
b = a * 3
b.retain_grad()
c = b ** 2
c.backward()
print(b.grad)
backbone = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
head = nn.Linear(2, 2)
model = nn.Sequential(backbone, head)
x = torch.ones(1, 4)
out = model(x)
loss = out.sum()
loss.backward()
features = backbone(x)
