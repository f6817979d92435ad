"""Classes that answer for attributes which are not there."""

import copy
import dataclasses
from collections import defaultdict

import torch
from torch import nn


class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value):
        self.total += value
        self.count += 1

    def __str__(self):
        return f"{self.total / self.count:.4f}"


class Log:
    def __init__(self):
        self.meters = defaultdict(Meter)
        self.delimiter = "  "

    def update(self, **values):
        for name, value in values.items():
            self.meters[name].update(value.item() if isinstance(value, torch.Tensor) else value)

    def __getattr__(self, attr):
        if attr in self.meters:
            return self.meters[attr]
        if attr in self.__dict__:
            return self.__dict__[attr]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attr}'")

    def __str__(self):
        return self.delimiter.join(f"{name}: {meter}" for name, meter in self.meters.items())


log = Log()
log.update(loss=torch.tensor(2.0), acc=0.5)
log.update(loss=1.0, acc=1)
print(log, log.loss.count, log.acc, hasattr(log, "lr"), getattr(log, "lr", None))
try:
    log.missing
except AttributeError as error:
    print(error)


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
        self._private = nn.Linear(1, 1, bias=False)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)

    def forward(self, x):
        return self.module(x)


torch.manual_seed(0)
net = Wrapper(nn.Linear(2, 3))
print(net.in_features, net.out_features, net.weight.shape, net._private.weight.shape)
print([name for name, _ in net.named_parameters()], hasattr(net, "nothing"))
loss = net(torch.ones(1, 2)).sum()
loss.backward()
print(net.bias.grad, net.module.weight.grad)
other = copy.deepcopy(net)
print(other.weight is net.weight, torch.equal(other.weight, net.weight))


class Outer(Wrapper):
    def __getattr__(self, name):
        return "answer" if name == "question" else super(Outer, self).__getattr__(name)


outer = Outer(nn.Linear(4, 4))
print(outer.question, outer.in_features, nn.Module.__getattr__(outer, "module").out_features)


class Options(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)


options = Options(lr=0.1, depth=3)
print(options.lr, options.depth, options, hasattr(options, "width"), sorted(options))


class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.params, self.name, self.stack, self.hooks = 3, "inner", nn.Linear(1, 1), []


outer = Wrapper(Hyper())
print(outer.params, outer.name, outer.stack, outer.hooks)


class Forward:
    def __getattr__(self, name):
        return super().__getattr__(name)


print(hasattr(Forward(), "x"), hasattr(Forward(), "params"))
for ask in (lambda: Forward().x, lambda: object.__getattr__(Forward(), "x")):
    try:
        ask()
    except AttributeError as error:
        print(error)


@dataclasses.dataclass(slots=True)
class Slotted:
    x: int

    def __getattr__(self, name):
        return name * 2


print(Slotted(1).q, Slotted(1).x)
