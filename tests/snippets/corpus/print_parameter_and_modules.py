import torch
import torch.nn as nn

torch.manual_seed(0)
p = nn.Parameter(torch.tensor([1.0, 2.0]))
print(p)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Dropout(p=0.2), nn.Linear(3, 1, bias=False))
print(net)
print(nn.Conv2d(1, 8, kernel_size=3, padding=1))
print(nn.MSELoss(), nn.CrossEntropyLoss())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.act = nn.Tanh()
        self.head = nn.Sequential(nn.Linear(8, 2), nn.Softmax(dim=1))

    def forward(self, x):
        return self.head(self.act(self.fc1(x)))


print(Net())
print(nn.ModuleList([nn.Linear(1, 1), nn.Sigmoid()]))

net = Net()
for walk in (net.parameters, net.named_parameters, net.buffers, net.named_buffers):
    print(repr(walk()).split(" at ")[0])
for walk in (net.children, net.named_children, net.modules, net.named_modules):
    print(repr(walk()).split(" at ")[0])
