import torch
from torch import nn
from collections import OrderedDict

torch.manual_seed(0)


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Residual(nn.Linear(4, 4)) for _ in range(2)])
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 1), "b": nn.Linear(4, 2)})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1) * i) for i in range(2)])
        self.register_buffer("running", torch.zeros(1))
        self.register_buffer("temp", torch.zeros(1), persistent=False)
        self.seq = nn.Sequential(OrderedDict([("fc", nn.Linear(4, 4)), ("act", nn.GELU())]))
        self._private = 3

    def forward(self, x, head="a"):
        for block, scale in zip(self.blocks, self.scales):
            x = block(x) * (1 + scale)
        self.running += 1
        return self.heads[head](self.seq(x))


net = Net()
print(net)
print(net(torch.ones(2, 4), head="b").shape, net.running, list(net.state_dict())[:4], len(net.state_dict()))
print(
    [n for n, _ in net.named_children()],
    [n for n, _ in net.named_buffers()],
    sum(p.numel() for p in net.parameters() if p.requires_grad),
)
print(
    net.seq.fc,
    net.seq[0] is net.seq.fc,
    "a" in net.heads,
    list(net.heads.keys()),
    len(net.blocks),
    net._private,
    net.training,
)
net.eval()
print(net.training, net.blocks[0].training, net.train().training)
net.add_module("extra", nn.Identity())
net.blocks.append(nn.ReLU())
print(
    [type(m).__name__ for m in net.modules()][:5], net.get_submodule("seq.fc"), net.get_parameter("heads.a.bias").shape
)
net.requires_grad_(False)
print(any(p.requires_grad for p in net.parameters()))
missing = nn.Linear(2, 2).load_state_dict({"weight": torch.zeros(2, 2)}, strict=False)
print(missing)
try:
    nn.Linear(2, 2).load_state_dict({"weight": torch.zeros(3, 2), "bias": torch.zeros(2)})
except RuntimeError as e:
    print(e)
try:
    net.nothing
except AttributeError as e:
    print(e)
