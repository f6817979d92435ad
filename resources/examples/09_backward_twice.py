"""Backward a second time

The multiplication needs x again to go back, so it saved it. The first backward released what was saved; the nodes are
still there. A second backward reaches the multiplication, finds nothing, and fails.

Look at: the node is still drawn after the first call, only its tabs are struck out. Add retain_graph=True to the first.
"""
import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = (x * x).sum()

y.backward()
print(x.grad)
print(y.grad_fn)

y.backward()
