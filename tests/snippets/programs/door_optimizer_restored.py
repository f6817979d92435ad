"""An optimizer of one's own whose __setstate__ fills in what older checkpoints lack."""

import copy

import torch
from torch.optim.optimizer import Optimizer, required


class Plain(Optimizer):
    def __init__(self, params, lr=required, decay=0):
        if lr is not required and lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super(Plain, self).__init__(params, dict(lr=lr, decay=decay))

    def __setstate__(self, state):
        print("restored", sorted(state))
        super(Plain, self).__setstate__(state)
        for group in self.param_groups:
            group.setdefault("decay", 0.5)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad + group["decay"] * p, alpha=-group["lr"])


w = torch.ones(2, requires_grad=True)
optimizer = Plain([w], lr=0.1)
kept = copy.deepcopy(optimizer.state_dict())
del kept["param_groups"][0]["decay"]
optimizer.load_state_dict(kept)
print(optimizer.param_groups[0]["decay"], optimizer.param_groups[0]["lr"])
(w * 3).sum().backward()
optimizer.step()
print(w)
