import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 2)


def train(make, steps=4):
    torch.manual_seed(1)
    model = nn.Linear(3, 2)
    optimizer = make(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    print(type(optimizer).__name__, model.weight.detach(), model.bias.detach())
    print({k: list(v) for k, v in optimizer.state_dict()["state"].items()})
    return optimizer


print(train(lambda p: torch.optim.Adafactor(p)))
train(lambda p: torch.optim.Adafactor(p, lr=0.5, weight_decay=0.1, d=2.0, eps=(1e-6, 1e-2), maximize=True))
p = nn.Parameter(torch.arange(6.0).reshape(2, 3) / 6)
muon = torch.optim.Muon([p], lr=0.1)
for step in range(2):
    muon.zero_grad()
    (p.sin() * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    muon.step()
print(muon, list(muon.state[p]), [round(v, 1) for v in p.flatten().tolist()])
for wrong in (
    lambda: torch.optim.Adafactor([p], lr=-1),
    lambda: torch.optim.Adafactor([p], d=0.5),
    lambda: torch.optim.Adafactor([p], beta2_decay=1),
    lambda: torch.optim.Muon([nn.Parameter(torch.ones(2))]),
    lambda: torch.optim.Muon([p], adjust_lr_fn="x"),
    lambda: torch.optim.SparseAdam([p]).step(),
):
    try:
        wrong()
    except (ValueError, RuntimeError) as error:
        print(error)
