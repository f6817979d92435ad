import torch
from torch import nn
from torch.optim import lr_scheduler as S

torch.manual_seed(0)
w, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(1))
opt = torch.optim.SGD([{"params": [w], "lr": 0.1}, {"params": [b]}], lr=0.01, momentum=0.9)
opt.add_param_group({"params": [nn.Parameter(torch.ones(1))], "lr": 0.5})
print(opt)
handles = [
    opt.register_step_pre_hook(lambda o, a, k: print("pre", type(o).__name__, len(a), k)),
    opt.register_step_post_hook(lambda o, a, k: print("post")),
    opt.register_state_dict_post_hook(lambda o, d: print("saved", list(d))),
]


def closure():
    opt.zero_grad()
    loss = (w**2).sum() + b.sum()
    loss.backward()
    return loss


print(opt.step(closure))
state = opt.state_dict()
print(state)
for handle in handles:
    handle.remove()
opt.load_state_dict(state)
for name, make in {
    "step": lambda o: S.StepLR(o, 2, 0.5),
    "multi": lambda o: S.MultiStepLR(o, [1, 3]),
    "exp": lambda o: S.ExponentialLR(o, 0.9),
    "cos": lambda o: S.CosineAnnealingLR(o, 4, 0.001),
    "warm": lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2),
    "lambda": lambda o: S.LambdaLR(o, lambda e: 1 / (e + 1)),
    "times": lambda o: S.MultiplicativeLR(o, lambda e: 0.5),
    "linear": lambda o: S.LinearLR(o, 0.5, 1.0, 3),
    "constant": lambda o: S.ConstantLR(o, 0.5, 2),
    "poly": lambda o: S.PolynomialLR(o, 4, 2.0),
    "cyclic": lambda o: S.CyclicLR(o, 0.01, 0.1, 2, mode="triangular2"),
    "one": lambda o: S.OneCycleLR(o, 0.1, total_steps=6),
    "chain": lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]),
    "seq": lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [2]),
}.items():
    p = nn.Parameter(torch.ones(1))
    o = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    schedule = make(o)
    rates = []
    for _ in range(5):
        o.step()
        schedule.step()
        rates.append(schedule.get_last_lr()[0])
    print(name, [f"{r:.6f}" for r in rates], type(schedule))
    if name not in ("warm", "cyclic", "one"):
        print("  ", sorted(k for k in schedule.state_dict()))
plateau = S.ReduceLROnPlateau(o, "min", factor=0.1, patience=1)
for value in (1.0, 0.9, 0.95, 0.96, 0.97):
    plateau.step(value)
    print(plateau.get_last_lr(), plateau.num_bad_epochs, plateau.best)
for wrong in (
    lambda: torch.optim.SGD([w], lr=-1),
    lambda: torch.optim.Adam([w], betas=(1.0, 0.9)),
    lambda: torch.optim.SGD([], lr=0.1),
    lambda: torch.optim.SGD(w, lr=0.1),
    lambda: torch.optim.SGD([w * 2], lr=0.1),
    lambda: torch.optim.SGD([1], lr=0.1),
    lambda: torch.optim.SGD([w, w], lr=0.1, nesterov=True),
    lambda: opt.add_param_group({"params": [w]}),
    lambda: S.StepLR(1, 2),
    lambda: S.OneCycleLR(o, 0.1),
    lambda: S.ReduceLROnPlateau(o, factor=1.5),
    lambda: torch.optim.LBFGS([{"params": [w]}, {"params": [b]}]),
    lambda: torch.optim.Adam([w], fused=True, foreach=True),
    lambda: opt.load_state_dict(torch.optim.SGD([w], lr=0.1).state_dict()),
):
    try:
        wrong()
        print("no error")
    except Exception as error:
        print(type(error).__name__, error)
x = nn.Parameter(torch.tensor([1.5, -1.0]))
lbfgs = torch.optim.LBFGS([x], lr=1, max_iter=10, history_size=5, line_search_fn="strong_wolfe")


def rosenbrock():
    lbfgs.zero_grad()
    loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    loss.backward()
    return loss


for _ in range(3):
    print(f"{lbfgs.step(rosenbrock).item():.4f}", [f"{v:.3f}" for v in x.tolist()])
print(sorted(lbfgs.state[x]))
named = torch.optim.SGD(nn.Linear(2, 1).named_parameters(), lr=0.1)
print(named.param_groups[0]["param_names"], named.state_dict())
