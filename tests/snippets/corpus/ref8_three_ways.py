import torch


def f(x):
    return x**3 - 2 * x**2 + torch.sin(x)


x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
y = f(x)
y.backward()
auto = x.grad.item()

v = x.detach()
by_hand = (3 * v**2 - 4 * v + torch.cos(v)).item()

eps = 1e-6
numeric = ((f(v + eps) - f(v - eps)) / (2 * eps)).item()

print(f"autograd {auto:.6f}")
print(f"by hand  {by_hand:.6f}")
print(f"numeric  {numeric:.6f}")
print(abs(auto - by_hand) < 1e-12, abs(auto - numeric) < 1e-6)
print(torch.autograd.gradcheck(f, (x,)))
