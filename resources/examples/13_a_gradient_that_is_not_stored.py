"""A gradient that only passes through

y is computed, not a leaf. Its gradient is needed to find that of x, and is thrown away afterwards, so y.grad is None
and PyTorch warns. h asked to keep its gradient with retain_grad(), so h.grad is there.

Look at: the gradient at y, marked as passing, against the stored one at h.
"""
import torch

x = torch.tensor(3., requires_grad=True)
y = x * x
h = y * 2
h.retain_grad()
z = h + 1

z.backward()
print(x.grad)
print(h.grad)
print(y.grad)
