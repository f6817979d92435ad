import torch


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


x = torch.tensor([-1.0, 1.0], requires_grad=True)
for i in range(3):
    f = rosenbrock(x)
    (g,) = torch.autograd.grad(f, x)
    t = 1.0
    with torch.no_grad():
        while rosenbrock(x - t * g) > f - 0.5 * t * (g @ g):
            t *= 0.5
        x -= t * g
    print(i, f"{f.item():.4f}", t, x.detach())
