import torch, math
from torch import nn, Tensor
from torch.nn import init, Parameter
from typing import Optional, Tuple

torch.manual_seed(0)


class MyLinear(nn.Module):
    __constants__ = ["in_features", "out_features"]
    in_features: int
    weight: Tensor

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(torch.empty((out_features, in_features), **factory_kwargs))
        if bias:
            self.bias = Parameter(torch.empty(out_features, **factory_kwargs))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return nn.functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class RunningMean(nn.Module):
    def __init__(self, dim, momentum=0.1):
        super().__init__()
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("steps", torch.tensor(0), persistent=False)
        self.momentum = momentum

    @torch.no_grad()
    def update(self, x):
        self.mean.lerp_(x.mean(0), self.momentum)
        self.steps += 1

    def forward(self, x):
        if self.training:
            self.update(x)
        return x - self.mean


class Residual(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getitem__(self, i):
        return self.inner[i]

    def forward(self, x):
        return x + self.inner(x)


net = Residual(nn.Sequential(MyLinear(3, 4), RunningMean(4), nn.Tanh(), MyLinear(4, 3, bias=False)))
print(net)
x = torch.randn(5, 3)
print(net(x))
net(x)
net.eval()
print(net[1].mean, net[1].steps, list(net.state_dict()), net[3].bias)
torch.manual_seed(0)
same = nn.Linear(3, 4)
print(torch.equal(same.weight, net[0].weight), torch.equal(same.bias, net[0].bias))
net.double()
print(net[0].weight.dtype, net[1].mean.dtype, net[1].steps.dtype, net.training)
net.float().half().bfloat16().to(torch.float32)
for p in net.parameters():
    p.requires_grad_(False)
print([n for n, p in net.named_parameters() if p.requires_grad], [n for n, b in net.named_buffers()])
net.requires_grad_(True)
groups = [
    {"params": [p for n, p in net.named_parameters() if n.endswith("bias")], "weight_decay": 0.0},
    {"params": [p for n, p in net.named_parameters() if not n.endswith("bias")], "lr": 1e-3},
]
opt = torch.optim.AdamW(groups, lr=1e-2, weight_decay=0.1)
print(opt)
print([(len(g["params"]), g["lr"], g["weight_decay"]) for g in opt.param_groups])
net.train()
net(x).pow(2).sum().backward()
opt.step()
print(
    {k: type(v).__name__ for k, v in opt.state_dict()["state"][0].items()}, opt.state_dict()["param_groups"][0]["betas"]
)
miss = net.load_state_dict({"inner.0.weight": torch.zeros(4, 3), "junk": torch.ones(1)}, strict=False)
print(miss)
try:
    net.load_state_dict({"junk": torch.ones(1)})
except RuntimeError as e:
    print(e)
net.register_module("tail", nn.Identity())
net.add_module("tail2", nn.ReLU())
del net.tail2
print(
    [n for n, _ in net.named_children()],
    net.get_submodule("inner.0"),
    net.get_parameter("inner.0.bias").shape,
    hasattr(net, "tail2"),
)
print(
    net.apply(lambda m: m) is net,
    nn.utils.parameters_to_vector(net.parameters()).shape,
    net.inner._modules.keys(),
    net.zero_grad() is None,
)
