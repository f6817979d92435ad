import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(-3.0, requires_grad=True)
c = torch.tensor(10.0, requires_grad=True)
e = a * b
e.retain_grad()
d = e + c
d.retain_grad()
L = torch.tanh(d / 4)
L.backward()
for name, t in zip("abcde", (a, b, c, d, e)):
    print(f"{name}: data={t.data.item():+.1f} grad={t.grad.item():+.4f}")
