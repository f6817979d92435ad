import torch, math
from torch.optim import Optimizer
from torch.optim.lr_scheduler import (
    LambdaLR,
    StepLR,
    ExponentialLR,
    CosineAnnealingLR,
    OneCycleLR,
    ReduceLROnPlateau,
    MultiStepLR,
    CyclicLR,
    SequentialLR,
    LinearLR,
    CosineAnnealingWarmRestarts,
    PolynomialLR,
    ConstantLR,
    ChainedScheduler,
    MultiplicativeLR,
)


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        if not 0.0 <= lr:
            raise ValueError("Invalid learning rate: {}".format(lr))
        defaults = dict(lr=lr, betas=betas, weight_decay=weight_decay)
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                exp_avg = state["exp_avg"]
                beta1, beta2 = group["betas"]
                update = exp_avg * beta1 + grad * (1 - beta1)
                p.add_(update.sign_(), alpha=-group["lr"])
                exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)
        return loss


w = torch.nn.Parameter(torch.tensor([2.0, -3.0]))
opt = Lion([w], lr=0.1, weight_decay=0.01)
for i in range(4):

    def closure():
        opt.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        return loss

    print(i, f"{opt.step(closure):.4f}", w.tolist())
print(opt, opt.state[w])


def curve(make, n=8):
    p = torch.nn.Parameter(torch.zeros(1))
    o = torch.optim.SGD([p], lr=1.0, momentum=0.9)
    s = make(o)
    lrs = []
    for _ in range(n):
        lrs.append(round(o.param_groups[0]["lr"], 5))
        o.step()
        s.step() if not isinstance(s, ReduceLROnPlateau) else s.step(1.0)
    return lrs


print(curve(lambda o: LambdaLR(o, lambda e: 0.95**e)))
print(curve(lambda o: StepLR(o, 3, 0.1)))
print(curve(lambda o: MultiStepLR(o, [2, 5])))
print(curve(lambda o: ExponentialLR(o, 0.5)))
print(curve(lambda o: CosineAnnealingLR(o, T_max=4, eta_min=0.1)))
print(curve(lambda o: OneCycleLR(o, max_lr=2.0, total_steps=8)))
print(curve(lambda o: ReduceLROnPlateau(o, patience=1, factor=0.5)))
print(curve(lambda o: CyclicLR(o, 0.1, 1.0, step_size_up=2, mode="triangular2")))
print(curve(lambda o: SequentialLR(o, [LinearLR(o, 0.1, total_iters=3), CosineAnnealingLR(o, 5)], milestones=[3])))
print(curve(lambda o: CosineAnnealingWarmRestarts(o, 3, 2)))
print(curve(lambda o: PolynomialLR(o, total_iters=5, power=2)))
print(curve(lambda o: ChainedScheduler([ConstantLR(o, 0.5, 2), ExponentialLR(o, 0.9)])))
print(curve(lambda o: MultiplicativeLR(o, lambda e: 0.9)))


def warmup_cosine(step, warmup=3, total=8):
    if step < warmup:
        return (step + 1) / warmup
    t = (step - warmup) / (total - warmup)
    return 0.5 * (1 + math.cos(math.pi * t))


print(curve(lambda o: LambdaLR(o, warmup_cosine)))
o = torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
s = StepLR(o, 1, 0.5)
s.step()
print(s.get_last_lr(), s.state_dict()["last_epoch"], s.last_epoch)
for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD"):
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    o = getattr(torch.optim, name)([p], lr=0.1)
    for _ in range(3):
        o.zero_grad()
        (p**2).sum().backward()
        o.step()
    print(f"{name:<10}", p.data)
p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
lb = torch.optim.LBFGS([p], lr=1, max_iter=5, line_search_fn="strong_wolfe")


def closure():
    lb.zero_grad()
    l = (p - 3).pow(4).sum()
    l.backward()
    return l


print(f"{lb.step(closure):.2f}", (closure() < 1).item())
