import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x * 2
b = a + 1
c = b**2
for t in (a, b, c):
    t.retain_grad()
c.sum().backward()
for n, t in (("x", x), ("a", a), ("b", b), ("c", c)):
    print(n, t.grad)
