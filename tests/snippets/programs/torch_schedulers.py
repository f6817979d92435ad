import torch
from torch import optim
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import (
    StepLR,
    MultiStepLR,
    ExponentialLR,
    CosineAnnealingLR,
    LambdaLR,
    ReduceLROnPlateau,
    OneCycleLR,
    LinearLR,
    SequentialLR,
    CyclicLR,
    CosineAnnealingWarmRestarts,
)


def rates(make, n=6):
    w = torch.zeros(1, requires_grad=True)
    opt = optim.SGD([w], lr=1.0, momentum=0.9)
    sched = make(opt)
    out = []
    for epoch in range(n):
        opt.step()
        sched.step()
        out.append(round(opt.param_groups[0]["lr"], 4))
    return out


print(rates(lambda o: StepLR(o, step_size=2, gamma=0.5)))
print(rates(lambda o: MultiStepLR(o, milestones=[2, 4], gamma=0.1)))
print(rates(lambda o: ExponentialLR(o, gamma=0.9)))
print(rates(lambda o: CosineAnnealingLR(o, T_max=6, eta_min=0.1)))
print(rates(lambda o: LambdaLR(o, lr_lambda=lambda e: 0.95**e)))
print(rates(lambda o: LinearLR(o, start_factor=0.1, total_iters=4)))
print(rates(lambda o: OneCycleLR(o, max_lr=2.0, total_steps=10)))
print(rates(lambda o: CosineAnnealingWarmRestarts(o, T_0=3)))
print(rates(lambda o: CyclicLR(o, base_lr=0.1, max_lr=1.0, step_size_up=2)))
print(rates(lambda o: SequentialLR(o, [LinearLR(o, 0.1, total_iters=2), ExponentialLR(o, 0.9)], milestones=[2])))
w = torch.zeros(1, requires_grad=True)
opt = optim.SGD([w], lr=1.0)
plateau = ReduceLROnPlateau(opt, mode="min", factor=0.1, patience=1)
for loss in [1.0, 0.9, 0.95, 0.96, 0.97]:
    plateau.step(loss)
print(opt.param_groups[0]["lr"], plateau.get_last_lr())


class WarmUp(lr_scheduler.LRScheduler):
    def __init__(self, optimizer, steps, last_epoch=-1):
        self.steps = steps
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * min(1.0, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]


print(rates(lambda o: WarmUp(o, 4)))
