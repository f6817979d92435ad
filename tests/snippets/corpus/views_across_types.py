"""Writes to complex views of real memory and to real views of complex memory; gradients at NaN and of real numbers
that became complex."""

import torch

x = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], dtype=torch.double, requires_grad=True)
whole = x.clone()
back = torch.view_as_real(torch.view_as_complex(whole))
back.mul_(3)
whole.sum().backward()
print(x.grad)

x.grad = None
whole = x.clone()
flat = torch.view_as_complex(whole).reshape(4)
flat[1:3].mul_(2j)
whole.pow(2).sum().backward()
print(x.grad)

z = torch.tensor([1 + 2j, 3 - 1j, 2 + 0j, 1j], requires_grad=True)
whole = z * 1
pairs = torch.view_as_real(whole.reshape(2, 2))
pairs[..., 0].mul_(10)
(whole * whole.conj()).real.sum().backward()
print(z.grad)
print(torch.autograd.grad(torch.view_as_real(z.clone()).mul_(2).sum(), z))

for values in ([1.0, 0.0, 1.0, 0.0], [float("nan"), 1.0, float("nan")]):
    for function in (torch.min, torch.max, torch.median, torch.nanmedian):
        v = torch.tensor(values, requires_grad=True)
        out = function(v)
        print(out, torch.autograd.grad(out, v))
r = torch.ones(3, dtype=torch.double, requires_grad=True)
print(torch.autograd.grad(r.to(torch.complex128).sum().abs(), r))
e = torch.tensor([1 + 2j, 2 - 1j, 0j], requires_grad=True)
print(torch.autograd.grad(torch.pow(-torch.ones(3, dtype=torch.double), e).sum().abs(), e))
print(torch.autograd.grad(torch.pow(-2, e).sum().abs(), e))
