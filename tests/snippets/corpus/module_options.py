from collections import OrderedDict

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.shared = self.a
        self.list = nn.ModuleList([nn.ReLU(), nn.Linear(2, 1)])
        self.register_buffer("kept", torch.zeros(1))
        self.register_buffer("left", torch.ones(1), persistent=False)
        self.register_parameter("none", None)
        self.counter = 0

    def forward(self, x):
        return self.list[1](self.list[0](self.a(x)))

    def get_extra_state(self):
        return {"counter": self.counter}

    def set_extra_state(self, state):
        self.counter = state["counter"]

    def extra_repr(self):
        return f"counter={self.counter}"


net = Net()
print(net)
print([n for n, _ in net.named_parameters()], [n for n, _ in net.named_parameters(prefix="p", recurse=False)])
print([n for n, _ in net.named_parameters(remove_duplicate=False)])
print([n for n, _ in net.named_buffers()], [n for n, _ in net.named_modules(prefix="m")])
print([n for n, _ in net.named_modules(remove_duplicate=False)], [n for n, _ in net.named_children()])
print(list(net.state_dict()), net.state_dict()["_extra_state"])
net.counter = 3
state = net.state_dict(prefix="x.")
print(list(state)[:2], state["x._extra_state"])
other = Net()
print(other.load_state_dict(net.state_dict()), other.counter)
print(net.get_submodule("list.1"), net.get_parameter("a.weight").shape, net.get_buffer("kept"))
for wrong in (
    lambda: net.get_submodule("nothing"),
    lambda: net.get_parameter("a.nothing"),
    lambda: net.load_state_dict({"a.weight": torch.ones(3, 3), "zzz": torch.ones(1)}),
    lambda: net.load_state_dict([1]),
    lambda: nn.Linear(2, 2).load_state_dict(OrderedDict(weight=torch.ones(2, 2))),
    lambda: net(torch.ones(1, 3)),
    lambda: nn.Module()(1),
    lambda: net.nothing,
    lambda: setattr(net, "a", 3),
    lambda: net.register_buffer("a.b", torch.ones(1)),
    lambda: net.register_buffer("kept", 5),
    lambda: net.train("yes"),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
print(nn.Linear(2, 2).load_state_dict({"weight": torch.ones(2, 2)}, strict=False))
assigned = nn.Linear(2, 2)
weights = OrderedDict(weight=torch.ones(2, 2), bias=torch.zeros(2))
assigned.load_state_dict(weights, assign=True)
print(assigned.weight.data_ptr() == weights["weight"].data_ptr(), type(assigned.weight))
net.register_state_dict_post_hook(lambda m, s, p, meta: s.update(more=torch.ones(1)))
net.register_load_state_dict_post_hook(lambda m, keys: print("loaded", keys.unexpected_keys))
print("more" in net.state_dict())
try:
    net.load_state_dict(net.state_dict())
except RuntimeError as error:
    print(error)
net.requires_grad_(False)
print(all(not p.requires_grad for p in net.parameters()), net.training, net.eval().training)
print(
    net.double().a.weight.dtype,
    net.half().kept.dtype,
    net.float().a.bias.dtype,
    net.to(torch.float64).list[1].weight.dtype,
)
del net.list
print(net, hasattr(net, "list"))
seq = nn.Sequential(OrderedDict(first=nn.Linear(1, 1), second=nn.Tanh()))
print(seq, seq.first, seq[-1], seq[:1], len(seq))
try:
    seq.insert(1, nn.Dropout(0.3))
except KeyError as error:
    print(error)
seq = nn.Sequential(nn.Linear(1, 1), nn.Tanh())
seq.append(nn.ReLU()).insert(1, nn.Dropout(0.3))
seq.insert(-1, nn.Sigmoid())
seq.extend([nn.Identity()])
print(seq)
del seq[0]
print(seq, [type(m).__name__ for m in seq])
d = nn.ModuleDict({"x": nn.Linear(1, 1), "y": nn.ReLU()})
print(d, d["x"], list(d), "x" in d, d.pop("y"))
print(nn.ParameterList([torch.ones(1), torch.zeros(2)]), nn.ModuleList([nn.Linear(1, 1) for _ in range(3)]))
net.a.register_forward_pre_hook(lambda m, a: print("pre", len(a)))
net.a.register_forward_hook(lambda m, a, k, out: print("with", k, out.shape), with_kwargs=True)
net.a(torch.ones(1, 2, dtype=torch.float64))
print(nn.Linear.__doc__ is not None, net.a.weight.is_leaf)
