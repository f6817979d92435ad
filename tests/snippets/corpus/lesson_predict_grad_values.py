import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(-3.0, requires_grad=True)
c = torch.tensor(10.0, requires_grad=True)
f = torch.tensor(-2.0, requires_grad=True)
e = a * b
d = e + c
L = d * f
for t in (e, d, L):
    t.retain_grad()
L.backward()
for name, t in dict(a=a, b=b, c=c, d=d, e=e, f=f, L=L).items():
    print(f"{name}: data={t.item():.4f} grad={t.grad.item():.4f}")
