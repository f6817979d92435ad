import torch
import math

dtype = torch.float
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(device)
torch.manual_seed(1)
x = torch.linspace(-1, 1, 100, dtype=dtype)
y = torch.exp(x)
a = torch.randn((), dtype=dtype, requires_grad=True)
b = torch.randn((), dtype=dtype, requires_grad=True)
c = torch.randn((), dtype=dtype, requires_grad=True)
d = torch.randn((), dtype=dtype, requires_grad=True)
initial_loss = 1.0
for t in range(150):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum()
    if t == 0:
        initial_loss = loss.item()
    if t % 50 == 49:
        print(
            f"Iteration t = {t:4d}  loss(t)/loss(0) = {round(loss.item() / initial_loss, 3):10.3f}  a = {a.item():7.3f}"
        )
    loss.backward()
    with torch.no_grad():
        a -= 5e-3 * a.grad
        b -= 5e-3 * b.grad
        c -= 5e-3 * c.grad
        d -= 5e-3 * d.grad
        a.grad = None
        b.grad = None
        c.grad = None
        d.grad = None
