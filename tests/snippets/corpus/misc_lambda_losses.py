import torch

x = torch.linspace(-2, 2, 5, requires_grad=True)
for name, f in {
    "square": lambda t: t**2,
    "huber": lambda t: torch.where(t.abs() < 1, 0.5 * t**2, t.abs() - 0.5),
    "abs": torch.abs,
}.items():
    (g,) = torch.autograd.grad(f(x).sum(), x)
    print(name, g)
