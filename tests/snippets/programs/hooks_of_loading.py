"""Hooks that run before a state is loaded, public and private; what schedulers refuse."""

import torch
from torch import nn
from torch.optim.lr_scheduler import ChainedScheduler, MultiplicativeLR, SequentialLR, StepLR


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)
        self._register_load_state_dict_pre_hook(self.rename)
        self._register_load_state_dict_pre_hook(self.with_module, with_module=True)
        self.register_load_state_dict_pre_hook(self.public)

    def rename(self, state_dict, prefix, local_metadata, strict, missing, unexpected, errors):
        print("rename", repr(prefix), local_metadata, strict, missing, unexpected, errors)
        for key in list(state_dict):
            if key.startswith(prefix + "old."):
                state_dict[key.replace("old.", "inner.")] = state_dict.pop(key)

    def with_module(self, module, state_dict, prefix, *rest):
        print("with module", module is self, list(state_dict), repr(prefix), len(rest))

    def public(self, module, state_dict, prefix, *rest):
        print("public", module is self, list(state_dict), repr(prefix), len(rest))


net = nn.Sequential(Block())
print(net.load_state_dict({"0.old.weight": torch.ones(1, 1), "0.old.bias": torch.zeros(1)}))
print(net[0].inner.weight)
handle = net[0]._register_load_state_dict_pre_hook(lambda *given: print("last", len(given)))
net.load_state_dict(net.state_dict())
handle.remove()
net.load_state_dict(net.state_dict())

one, other = (torch.optim.SGD(net.parameters(), lr=1.0) for _ in range(2))
for make in (
    lambda: ChainedScheduler([StepLR(one, 1), StepLR(other, 1)]),
    lambda: ChainedScheduler([StepLR(one, 1)], optimizer=other),
    lambda: ChainedScheduler([one]),
    lambda: MultiplicativeLR(one, 3),
    lambda: MultiplicativeLR(one, [0.5]),
    lambda: MultiplicativeLR(one, (lambda epoch: 0.5,)),
    lambda: SequentialLR(one, [StepLR(one, 1), StepLR(other, 1)], [1]),
):
    try:
        print(type(make()).__name__)
    except Exception as error:
        print(type(error).__name__, error)
