import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.n = len(sizes) - 1
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            setattr(self, f"layer{i}", nn.Linear(a, b))
        self.act = getattr(torch, "tanh")

    def forward(self, x):
        for i in range(self.n):
            x = self.act(getattr(self, f"layer{i}")(x))
        return x


torch.manual_seed(0)
net = Net([2, 3, 1])
print(net)
print(net(torch.ones(1, 2)).shape, hasattr(net, "layer1"), hasattr(net, "layer2"), isinstance(net.layer0, nn.Module))
optimizer = getattr(torch.optim, "SGD")(net.parameters(), lr=0.1)
print(
    type(optimizer).__name__,
    getattr(nn, "ReLU")(),
    [getattr(torch.tensor([1.0, 4.0]), op)().item() for op in ("sum", "mean", "max")],
)
delattr(net, "layer1")
print(list(dict(net.named_children())))
for name in ["relu", "sigmoid"]:
    print(name, getattr(nn.functional, name)(torch.tensor(0.0)))
