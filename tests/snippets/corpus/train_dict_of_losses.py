import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
losses = {"fit": (a * b - 3) ** 2, "size": a**2 + b**2}
total = sum(weight * losses[name] for name, weight in {"fit": 1.0, "size": 0.1}.items())
total.backward()
print({name: round(l.item(), 4) for name, l in losses.items()})
print(total, a.grad, b.grad)
