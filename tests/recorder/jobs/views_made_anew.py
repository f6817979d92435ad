"""Views that autograd makes anew by running what made them: where a write came in between, and memory is read as
complex and as real numbers, or conjugated."""

import torch


def views():
    x = torch.arange(8.0).view(2, 2, 2).requires_grad_()
    whole = x * 1
    return x, whole, torch.view_as_real(torch.view_as_complex(whole))


x, whole, back = views()
back.mul_(3)
(whole.sum() + back.sum()).backward()
print(x.grad.tolist())

x, whole, back = views()
with torch.no_grad():
    back.mul_(3)
print(back.sum())

x, whole, back = views()
whole.mul_(2)
print(back.sum(), back.grad_fn.name())

x, whole, back = views()
part = back[0]
part.mul_(2)
part.add_(1)
flat = whole.view(-1)
print(part.sum(), back.sum(), flat.sum())
(back.sum() + flat.sum()).backward()
print(x.grad.tolist())

z = torch.arange(4.0).requires_grad_() * torch.tensor(1j)
turned = z.conj()
turned.mul_(2j)
turned.imag.add_(1)
z.real.mul_(3)
print(turned, z)
imaginary = z.conj().imag
imaginary.mul_(2)
print(imaginary, z)
imaginary.sum().backward()

p = torch.nn.Parameter(torch.ones(2, 2))
optimizer = torch.optim.SGD([p], lr=0.1)
with torch.no_grad():
    torch.view_as_complex(p).mul_(2j)
    torch.view_as_real(torch.view_as_complex(p)).mul_(2)
    strided = torch.as_strided(p, (2,), (1,), 1)
    strided.add_(1)
(p**2).sum().backward()
optimizer.step()
print(p.tolist(), p.grad.tolist())
try:
    torch.view_as_complex(torch.ones(3))
except RuntimeError as error:
    print(error)

# a view that is no leaf any more, though nobody may ask for its node
fixed = torch.ones(2)
with torch.no_grad():
    quiet = fixed[:]
fixed.mul_(torch.ones(2, requires_grad=True))
for each in (quiet, quiet):
    try:
        print(each.requires_grad, each * 2)
    except RuntimeError as error:
        print(error)
