"""Changed in place, and it works

Many pages show this as the in-place error. It is none: multiplying by 2 saved the 2, not y, so y may change. What
counts is whether the tensor that changes was saved, never that it changed.

Look at: the tab of the multiplication holds `other` and stays valid when y becomes version 1.
"""
import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y += 1
print(y, y._version)
y.sum().backward()
print(x.grad)
