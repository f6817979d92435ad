"""One derivative, three ways

The slope of a function at one point: by autograd, by the formula from school, and by going a tiny step to both sides.
The first two agree to the last digit, the third to about ten.

Look at: autograd does not go through small steps. It multiplies the exact slopes of the parts.
"""
import torch


def f(x):
    return x ** 3 - 2 * x ** 2 + torch.sin(x)


x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
y = f(x)
y.backward()
automatic = x.grad.item()

v = x.detach()
by_hand = (3 * v ** 2 - 4 * v + torch.cos(v)).item()

step = 1e-6
numeric = ((f(v + step) - f(v - step)) / (2 * step)).item()

print(f"autograd {automatic:.6f}")
print(f"by hand  {by_hand:.6f}")
print(f"numeric  {numeric:.6f}")
print(abs(automatic - by_hand) < 1e-12, abs(automatic - numeric) < 1e-6)
