import torch

x = torch.randn(2, 2, requires_grad=True, generator=torch.Generator().manual_seed(0))
with torch.no_grad():
    y = x * 2
print(y.requires_grad)


@torch.no_grad()
def doubler(v):
    return v * 2


print(doubler(x).requires_grad, x.is_leaf, (x * 2).is_leaf, (x * 2).grad_fn.name(), x.grad_fn)
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a.clone()
b[0] = 5
c = (b**2).sum()
c.backward()
print(a.grad, b._version, a._version)
z = a.detach()
z.requires_grad_(True)
(z.exp()).sum().backward()
print(z.grad is not a.grad, torch.autograd.grad((a**3).sum(), a)[0])
(g,) = torch.autograd.grad((a**3).sum(), a, create_graph=True)
print(g, torch.autograd.grad(g.sum(), a)[0])
try:
    d = a * 2
    d.backward()
except RuntimeError as e:
    print(e)
