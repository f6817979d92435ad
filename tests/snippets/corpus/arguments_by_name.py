# the names of parameters, and what schedulers keep in their state_dict
import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.arange(6.0).reshape(2, 3)
print(torch.can_cast(from_=torch.float32, to=torch.int64), torch.promote_types(type1=torch.int8, type2=torch.uint8))
print(F.elu_(-x, alpha=2.0), F.threshold_(x.clone(), threshold=2, value=-1), F.hardtanh_(x.clone(), max_val=3.0))
print(F.leaky_relu_(-x, negative_slope=0.5), F.celu_(-x, alpha=0.5))
print(torch.swapaxes(x, axis0=0, axis1=1), x.swapaxes(axis0=0, axis1=1).shape, x.swapdims(dim0=0, dim1=1).shape)
print(
    torch.hsplit(x, sections=3), x.vsplit(indices=(1,)), torch.tensor_split(x, sections=2), x.tensor_split(indices=(1,))
)
print(
    nn.AdaptiveMaxPool1d(2, return_indices=True)(x),
    nn.AdaptiveMaxPool2d(1, True),
    nn.AdaptiveMaxPool3d(1)(x[None, None]),
)
print(nn.Hardtanh(min_value=0, max_value=3)(x))
try:
    nn.Hardtanh(3.0)
except AssertionError as e:
    print(repr(e))
print(nn.Upsample(scale_factor=2.5, mode="linear", recompute_scale_factor=True)(x[None]))

p = nn.Parameter(torch.ones(2))
try:
    nn.utils.clip_grad_value_([p], 1.0)
except RuntimeError as e:
    print(e)


class Halves:
    def __init__(self):
        self.by = 0.5

    def __call__(self, x):
        return self.by**x


S = torch.optim.lr_scheduler
makers = [
    lambda o: S.CosineAnnealingWarmRestarts(o, 3, T_mult=2),
    lambda o: S.CyclicLR(o, 0.1, 0.5, 2, mode="triangular2"),
    lambda o: S.CyclicLR(o, 0.1, 0.5, 2, mode="exp_range", gamma=0.9),
    lambda o: S.CyclicLR(o, 0.1, 0.5, 2, scale_fn=lambda n: 0.5),
    lambda o: S.CyclicLR(o, 0.1, 0.5, 2, scale_fn=Halves()),
    lambda o: S.OneCycleLR(o, 0.5, 10),
    lambda o: S.OneCycleLR(o, 0.5, 10, three_phase=True, anneal_strategy="linear"),
    lambda o: S.SequentialLR(o, [S.ConstantLR(o), S.ExponentialLR(o, 0.9)], [2]),
    lambda o: S.ChainedScheduler([S.ConstantLR(o), S.ExponentialLR(o, 0.9)]),
]
for make in makers:
    first = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1, momentum=0.9)
    schedule = make(first)
    print(type(schedule).__name__, schedule.state_dict())
    for _ in range(5):
        first.step()
        schedule.step()
    saved = schedule.state_dict()
    print(saved)
    second = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1, momentum=0.9)
    again = make(second)
    again.load_state_dict(saved)
    second.step()
    again.step()
    print(again.get_last_lr())
second = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
print(S.CosineAnnealingWarmRestarts(second, 3).get_lr())
