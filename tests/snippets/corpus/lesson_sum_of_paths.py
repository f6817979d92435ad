import torch

x = torch.tensor(0.5, requires_grad=True)
paths = [lambda t: t**2, torch.sin, lambda t: 3 * t]
parts = []
for f in paths:
    (g,) = torch.autograd.grad(f(x), x)
    parts.append(g)
    print(g)
y = sum(f(x) for f in paths)
y.backward()
print(x.grad, torch.isclose(x.grad, sum(parts)))
