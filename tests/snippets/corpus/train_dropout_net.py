import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.drop = nn.Dropout(p=0.5)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        return F.log_softmax(self.fc2(self.drop(F.relu(self.fc1(x)))), dim=1)


torch.manual_seed(0)
net = Net()
x = torch.ones(2, 4)
out = net(x)
print(out)
F.nll_loss(out, torch.tensor([0, 1])).backward()
print(net.fc2.bias.grad)
net.eval()
print(net(x))
