import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(1, 2, 3),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(2, 2),
)
x = torch.zeros(4, 1, 4, 4)
x[:2, :, :, :2] = 1
x[2:, :, :2, :] = 1
y = torch.tensor([0, 0, 1, 1])
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for step in range(10):
    loss = nn.CrossEntropyLoss()(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 3 == 0:
        print(step, f"{loss.item():.4f}")
