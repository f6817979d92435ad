"""Assigning to the real and the imaginary part writes to the memory of the tensor."""

import torch


def attempt(tensor, name, value):
    try:
        setattr(tensor, name, value)
        print(tensor)
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)


z = torch.tensor([1 + 2j, 3.0])
z.real = torch.tensor([9.0, 8.0])
print(z)
z.imag = 1.5
print(z)
z.real = z.imag
z.imag[0] = 5
print(z, z._version)
x = torch.ones(2)
x.real = torch.tensor([5.0, 6.0])
print(x)
attempt(x, "imag", torch.ones(2))
attempt(z, "real", torch.ones(3))
attempt(z, "real", "a")
attempt(z, "real", None)
w = torch.tensor([1 + 1j, 2.0], requires_grad=True)
attempt(w, "real", torch.ones(2))
y = w * 2
given = torch.tensor([7.0, 7.0], requires_grad=True)
y.real = given
print(y)
(y.imag.sum() + (y.real * y.real).sum()).backward()
print(w.grad, given.grad)
