import math
import torch

x = torch.linspace(-math.pi, math.pi, 200)
y = torch.sin(x)
torch.manual_seed(0)
a, b, c, d = (torch.randn((), requires_grad=True) for _ in range(4))
learning_rate = 1e-5
for t in range(100):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum()
    if t % 25 == 24:
        print(t, round(loss.item(), 1))
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= learning_rate * p.grad
            p.grad = None
print(f"y = {a.item():.3f} + {b.item():.3f} x + {c.item():.3f} x^2 + {d.item():.3f} x^3")
