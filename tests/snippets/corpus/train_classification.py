import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
n = 30
x0 = torch.randn(n, 2) + 2
x1 = torch.randn(n, 2) - 2
X = torch.cat([x0, x1])
y = torch.cat([torch.zeros(n), torch.ones(n)]).long()
net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for t in range(20):
    out = net(X)
    loss = criterion(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if t % 5 == 0:
        accuracy = (out.argmax(1) == y).float().mean()
        print(f"{t:2d} loss {loss.item():.4f} accuracy {accuracy:.2f}")
print(F.softmax(net(torch.zeros(1, 2)), dim=1).sum())
