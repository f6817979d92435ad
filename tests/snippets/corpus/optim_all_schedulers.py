import torch
from torch.optim import lr_scheduler as L


def mk():
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)


for f in (
    lambda o: L.StepLR(o, 2),
    lambda o: L.MultiStepLR(o, [2, 3], 0.1),
    lambda o: L.ExponentialLR(o, 0.9),
    lambda o: L.CosineAnnealingLR(o, 5),
    lambda o: L.LambdaLR(o, lambda e: 0.95**e),
    lambda o: L.CosineAnnealingWarmRestarts(o, 2),
    lambda o: L.LinearLR(o),
    lambda o: L.ConstantLR(o),
    lambda o: L.PolynomialLR(o, 4),
    lambda o: L.CyclicLR(o, 0.01, 0.1, 2),
    lambda o: L.OneCycleLR(o, 0.1, total_steps=8),
    lambda o: L.MultiplicativeLR(o, lambda e: 0.9),
):
    o = mk()
    s = f(o)
    r = []
    for i in range(5):
        o.step()
        s.step()
        r.append(round(o.param_groups[0]["lr"], 6))
    print(type(s).__name__, r, s.get_last_lr())
o = mk()
s = L.ReduceLROnPlateau(o, "min", patience=1)
for v in [1.0, 1.0, 1.0, 1.0, 1.0]:
    o.step()
    s.step(v)
    print(o.param_groups[0]["lr"])
o = mk()
s = L.SequentialLR(o, [L.LinearLR(o, 0.1, total_iters=2), L.ExponentialLR(o, 0.9)], milestones=[2])
for i in range(4):
    o.step()
    s.step()
    print(s.get_last_lr())
o = mk()
s = L.StepLR(o, 1)
s.step()
print(s.state_dict())
