import torch, torch.nn as nn, torch.optim as optim

torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
o = optim.SGD(
    [{"params": m[0].parameters()}, {"params": m[1].parameters(), "lr": 1e-3}], lr=1e-2, momentum=0.9, nesterov=True
)
print(o)
try:
    optim.SGD([], lr=0.1)
except ValueError as e:
    print(e)
try:
    optim.SGD(torch.ones(2, requires_grad=True), lr=0.1)
except TypeError as e:
    print(e)
try:
    optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)
except ValueError as e:
    print(e)
try:
    optim.SGD([torch.ones(2, requires_grad=True)], lr=-1)
except ValueError as e:
    print(e)
w = torch.ones(2, requires_grad=True)
for cls in (
    optim.Adam,
    optim.AdamW,
    optim.RMSprop,
    optim.Adagrad,
    optim.Adadelta,
    optim.Adamax,
    optim.NAdam,
    optim.RAdam,
    optim.ASGD,
    optim.Rprop,
):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    o = cls([w], lr=0.1)
    for i in range(3):
        o.zero_grad()
        (w**2).sum().backward()
        o.step()
    print(cls.__name__, w)
w = torch.tensor([1.0, 2.0], requires_grad=True)
o = optim.LBFGS([w], lr=0.5)


def closure():
    o.zero_grad()
    l = ((w - 3) ** 2).sum()
    l.backward()
    return l


for i in range(3):
    print(o.step(closure))
print(w)
o.add_param_group({"params": [torch.ones(1, requires_grad=True)]})
