import torch
from torch import nn, optim

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 10))
data = torch.rand(1, 3, 16, 16)
labels = torch.rand(1, 10)
prediction = model(data)
loss = (prediction - labels).sum()
loss.backward()
optim_ = optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
optim_.step()
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
external_grad = torch.tensor([1.0, 1.0])
Q.backward(gradient=external_grad)
print(9 * a**2 == a.grad)
print(-2 * b == b.grad)
x = torch.rand(5, 5)
y = torch.rand(5, 5)
z = torch.rand((5, 5), requires_grad=True)
a = x + y
print(f"Does `a` require gradients?: {a.requires_grad}")
b = x + z
print(f"Does `b` require gradients?: {b.requires_grad}")
for param in model.parameters():
    param.requires_grad = False
model[-1] = nn.Linear(4, 2)
print([(name, p.requires_grad) for name, p in model.named_parameters()])
