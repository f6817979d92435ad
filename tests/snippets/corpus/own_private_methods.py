import torch
from torch import nn


class Cell(nn.Module):
    """Names that a cell of one's own may well have."""

    has_extra_state = False

    def __init__(self, size):
        super().__init__()
        self._start(size)
        self.out = nn.Linear(size, 1)
        self.register_buffer("steps", torch.zeros(1))
        self.mode = "cell"
        self.dims = 2
        self.function = torch.tanh

    def _start(self, size):
        self.gate = nn.Linear(size, size)

    def _forget(self, h):
        return torch.sigmoid(self.gate(h)) * h

    def _member(self, name):
        return getattr(self, name)

    def _hook(self, x):
        return x * 2

    def _refuse_name(self):
        return "mine"

    def _set_buffer(self, value):
        self.steps = torch.full((1,), float(value))

    def _to_float(self, x):
        return x.float()

    def _run(self, x):
        return self.function(self._forget(x))

    def forward(self, x):
        self._set_buffer(3)
        return self._member("out")(self._hook(self._run(self._to_float(x))))


torch.manual_seed(0)
cell = Cell(3)
cell.register_forward_hook(lambda module, args, out: print("hook", tuple(out.shape)))
loss = cell(torch.ones(2, 3, dtype=torch.float64)).sum()
loss.backward()
print(loss, cell.gate.weight.grad, cell.steps, cell._refuse_name())
print(sorted(cell.state_dict()), cell.double().out.weight.dtype, cell.get_parameter("out.bias").shape)
cell.load_state_dict(cell.state_dict())


class Plain(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    def _update(self, p, lr):
        p.add_(p.grad, alpha=-lr)

    def _hooked(self):
        return "not a hook"

    def _state_of(self, p):
        return self.state[p]

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self._update(p, group["lr"])
                    self._state_of(p)["n"] = self._state_of(p).get("n", 0) + 1


optimizer = Plain(cell.parameters(), 0.1)
optimizer.zero_grad()
cell(torch.ones(2, 3).double()).sum().backward() if False else None
for p in cell.parameters():
    p.grad = torch.ones_like(p)
optimizer.step()
print(cell.out.bias, optimizer._hooked(), [s["n"] for s in optimizer.state.values()])


class Warm(torch.optim.lr_scheduler.LRScheduler):
    def _now(self):
        return min(1.0, (self.last_epoch + 1) / 4)

    def get_lr(self):
        return [base * self._now() for base in self.base_lrs]


warm = Warm(optimizer)
for _ in range(3):
    optimizer.step()
    warm.step()
    print(warm.get_last_lr())


class Sub(nn.Linear):
    def _check(self):
        return self.in_features

    def _create(self):
        return self.out_features


print(Sub(2, 3)._check(), Sub(2, 3)._create())


class Rescaled(nn.Conv2d):
    def _check(self, x):
        return x / 2

    def _both_ends(self):
        return 1

    def _create(self, x):
        return x

    def forward(self, x):
        return super().forward(self._check(self._create(x))) * self._both_ends()


torch.manual_seed(1)
print(Rescaled(1, 1, 2, padding="same")(torch.ones(1, 1, 2, 2)))


class Remembering(nn.LSTM):
    def _run(self, x):
        return self(x)[0]

    def _step(self):
        return 1

    def _join(self, x):
        return x.flatten()

    def _zeros(self):
        return 0

    def _shapes(self):
        return []


torch.manual_seed(2)
print(Remembering(2, 1)._run(torch.ones(2, 2)).shape, Remembering(2, 1)(torch.ones(3, 1, 2))[0].shape)


class Norm(nn.BatchNorm1d):
    def _average_factor(self):
        return 0

    expected = accepted = ()


print(Norm(2)(torch.tensor([[1.0, 2.0], [3.0, 6.0]])))
