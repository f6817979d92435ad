import torch
import torch.nn as nn

# 4 grad strides
x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_()
(x * 2).sum().backward()
print(x.grad.stride())
x.grad = None
(x * torch.ones(2, 3, 4, 5)).sum().backward()
print(x.grad.stride())
x.grad = None
x.contiguous().pow(2).sum().backward()
print(x.grad.stride())
x.grad = None
x.sum().backward()
print(x.grad.stride())
x.grad = None
x.contiguous().exp().sum().backward()
print(x.grad.stride())
x.exp().sum().backward()
print(x.grad.stride())
y = torch.randn(3, 4).t().requires_grad_()
print(y.is_leaf, y.stride())
(y * torch.ones(4, 3)).sum().backward()
print(y.grad.stride())
y.grad = None
(y @ torch.ones(3, 2)).sum().backward()
print(y.grad.stride())
y.grad = None
y.sum().backward()
print(y.grad.stride())
z = torch.ones(1, 3).expand(4, 3).detach().requires_grad_()
print(z.stride())
(z * 2).sum().backward()
print(z.grad.stride())
w = torch.randn(4, 6)[:, ::2].detach().requires_grad_()
print(w.stride())
(w * 2).sum().backward()
print(w.grad.stride())
(w * 2).sum().backward()
print(w.grad.stride())
a = torch.randn(3, 4, requires_grad=True)
a.t().contiguous().mul(2).sum().backward()
print(a.grad.stride())
a.grad = None
a.backward(torch.ones(4, 3).t())
print(a.grad.stride())
g = torch.ones(4, 3).t()
a.grad = None
a.backward(g, create_graph=False)
print(a.grad.stride(), a.grad is g)
a.grad = None
b = a * 1
b.backward(torch.ones(4, 3).t(), create_graph=True)
print(a.grad.stride())
a.grad = torch.ones(4, 3).t()
(a * 2).sum().backward()
print(a.grad.stride())
c = nn.Conv2d(3, 2, 2).to(memory_format=torch.channels_last)
c(x).sum().backward()
print(c.weight.stride(), c.weight.grad.stride())
l = nn.Linear(3, 4)
l(torch.ones(2, 3)).sum().backward()
print(l.weight.grad.stride())
r = torch.autograd.grad((y * 2).sum(), y)[0]
print(r.stride())
r = torch.autograd.grad((x.contiguous() * 2).sum(), x)[0]
print(r.stride())
e = torch.randn(2, 1, 3).transpose(0, 1).requires_grad_()
print(e.stride())
(e * 3).sum().backward()
print(e.grad.stride())
h = torch.randn(2, 3, requires_grad=True)
h.expand(4, 2, 3).sum().backward()
print(h.grad.stride())
h.grad = None
h.permute(1, 0).sum().backward()
print(h.grad.stride())
h.grad = None
(h.t() * torch.ones(3, 2)).sum().backward()
print(h.grad.stride())
h.grad = None
h.register_hook(lambda g: torch.ones(3, 2).t())
h.sum().backward()
print(h.grad.stride())
