"""Parameters and buffers of a derived class of tensors: they stay of that class and are only marked."""

import copy

import torch
import torch.nn as nn


def tell(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


class Meters(torch.Tensor):
    pass


class Tagged(nn.Parameter):
    def __new__(cls, data, tag=0):
        made = super().__new__(cls, data)
        made.tag = tag
        return made


p = nn.Parameter(torch.tensor([1.0, 2.0]).as_subclass(Meters))
print(type(p).__name__, isinstance(p, nn.Parameter), isinstance(p, Meters), p.requires_grad, p.is_leaf)
print(p, repr(p.data), f"{p}")
print(type(p + 1).__name__, type(p.detach()).__name__, isinstance(p.detach(), nn.Parameter))
frozen = nn.Parameter(torch.ones(1).as_subclass(Meters), requires_grad=False)
print(frozen, frozen.requires_grad, isinstance(frozen, nn.Parameter))
layer = nn.Linear(2, 1)
layer.weight = nn.Parameter(torch.ones(1, 2).as_subclass(Meters))
layer.bias = nn.Parameter(torch.zeros(1))
out = layer(torch.ones(1, 2))
print(type(out).__name__, out.detach(), layer.weight)
out.sum().backward()
print(type(layer.weight.grad).__name__, layer.weight.grad)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
optimizer.step()
print(type(layer.weight).__name__, layer.weight, [name for name, _ in layer.named_parameters()])
print(nn.ParameterList([p, torch.ones(1)]), type(nn.ParameterList([p])[0]).__name__)
box = nn.Module()
box.p = p
print(box.p is p, list(box.state_dict()), type(box.state_dict()["p"]).__name__)
tell(lambda: setattr(box, "p", torch.ones(2).as_subclass(Meters)))
tagged = Tagged(torch.zeros(2), 5)
print(type(tagged).__name__, tagged.tag, isinstance(tagged, nn.Parameter), isinstance(p, Tagged), tagged)
tell(lambda: nn.Parameter(tagged))
tell(lambda: nn.Parameter(nn.Parameter(torch.ones(1))))
tell(lambda: nn.Parameter(torch.ones(1), requires_grad="a"))
tell(lambda: nn.Parameter(torch.ones(1), 1))
tell(lambda: nn.Parameter(torch.arange(2).as_subclass(Meters)))
tell(lambda: nn.Parameter(torch.arange(2).as_subclass(Meters), requires_grad=False))
tell(lambda: nn.Parameter([1.0]))
tell(lambda: isinstance(torch.ones(1).as_subclass(Meters), nn.Parameter))
b = nn.Buffer(torch.ones(2))
print(type(b).__name__, isinstance(b, nn.Buffer), isinstance(b, nn.Parameter), isinstance(torch.ones(1), nn.Buffer), b)
box.b = b
box.c = nn.Buffer(torch.ones(1), persistent=False)
print(dict(box.named_buffers()), list(box.state_dict()), b.persistent)
m = nn.Buffer(torch.ones(2).as_subclass(Meters))
print(type(m).__name__, isinstance(m, nn.Buffer), m)
print(nn.Buffer(), nn.Buffer(torch.ones(1, requires_grad=True)).requires_grad)
tell(lambda: nn.Buffer(3))
print(isinstance(copy.deepcopy(b), nn.Buffer), isinstance(b + 1, nn.Buffer), isinstance(b.detach(), nn.Buffer))
tell(lambda: isinstance(3, nn.Parameter))
tell(lambda: isinstance(nn.UninitializedParameter(), nn.Parameter))
tell(lambda: issubclass(Meters, nn.Parameter))
