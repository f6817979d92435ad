import torch
from torch import nn, optim

for name, make in {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4),
    "Adam": lambda p: optim.Adam(p, lr=0.1, betas=(0.9, 0.99), eps=1e-8),
    "AdamW": lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.01),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9),
    "Adagrad": lambda p: optim.Adagrad(p, lr=0.1),
    "Adadelta": lambda p: optim.Adadelta(p),
    "Adamax": lambda p: optim.Adamax(p),
    "NAdam": lambda p: optim.NAdam(p),
    "RAdam": lambda p: optim.RAdam(p),
}.items():
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    opt = make([w])
    for _ in range(5):
        opt.zero_grad(set_to_none=True)
        loss = (w**2).sum()
        loss.backward()
        opt.step()
    print(f"{name:10s} {w[0].item():.4f} {w[1].item():.4f}", sorted(opt.state[w])[:2])
w = torch.tensor([1.0, -2.0], requires_grad=True)
lbfgs = optim.LBFGS([w], lr=0.5, max_iter=3)


def closure():
    lbfgs.zero_grad()
    loss = ((w - 3) ** 2).sum()
    loss.backward()
    return loss


print(f"{lbfgs.step(closure).item():.3f}", w)
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
opt = optim.SGD([{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 1e-3}], lr=1e-2, momentum=0.9)
print([g["lr"] for g in opt.param_groups], len(opt.state_dict()["param_groups"]))
opt.add_param_group({"params": [w], "lr": 5})
for g in opt.param_groups:
    g["lr"] *= 0.1
print(len(opt.param_groups), opt.param_groups[-1]["lr"])
print(opt)
