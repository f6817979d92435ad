import torch

x = torch.ones(2, requires_grad=True)
for name, f in {
    "twice": lambda y: (y.backward(), y.backward()),
    "inplace": lambda y: x.add_(1),
    "vector": lambda y: (x * 2).backward(),
    "numpy": lambda y: x.numpy(),
    "no grad": lambda y: torch.ones(1).backward(),
}.items():
    y = (x * x).sum()
    try:
        f(y)
    except RuntimeError as e:
        print(f"{name:8} {str(e)[:70]}")
y = x.exp()
z = y.sum()
y.add_(1)
try:
    z.backward()
except RuntimeError as e:
    print(str(e)[:60])
