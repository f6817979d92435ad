import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
plan = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)
x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 2, (8,))
for i in range(3):
    opt.zero_grad(set_to_none=False)
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    plan.step()
    print(i, loss.item().hex(), plan.get_last_lr())
