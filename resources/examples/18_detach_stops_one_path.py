"""Detach stops one of two paths

x.detach() is the same number, and a constant for autograd. The product still uses both, but the gradient comes back
along one side only: 3 instead of 6.

Look at: the reason given at x.detach(), and the one edge that carries a gradient.
"""
import torch

x = torch.tensor(3., requires_grad=True)
y = x.detach() * x
y.backward()
print(y, x.grad)

x.grad = None
y = x * x
y.backward()
print(y, x.grad)
