"""Backward a second time, without an error

Adding 1 and summing need nothing from the forward pass to go back, so they saved nothing and nothing was freed. The
same graph can be walked as often as you like, and every walk adds to x.grad.

Look at: no operation here has a tab. Change x + 1 to x * 1 and the second call fails.
"""
import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = (x + 1).sum()

y.backward()
print(x.grad)
y.backward()
print(x.grad)
