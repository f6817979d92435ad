import torch
import torch.nn as nn


class Deep(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(n)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.5)
        nn.init.zeros_(m.bias)


net = Deep(3)
net.apply(init)
out = net(torch.tensor([[1.0, -0.5]]))
print(out)
out.sum().backward()
for name, p in net.named_parameters():
    print(name, p.grad)
