"""The leaf that has no name

w was meant as a parameter, scaled to start small. But the multiplication made w a result: the leaf is the tensor that
randn made, and no variable holds it. w.grad stays None and no optimizer accepts w. Scale first, then ask for gradients.

Look at: the leaf without a name in front of w. All the gradient goes there.
"""
import torch

torch.manual_seed(3)
w = torch.randn(3, requires_grad=True) * 0.01
loss = (w ** 2).sum()
loss.backward()
print(w.is_leaf, w.grad)

w = (w.detach() * 1).requires_grad_()
loss = (w ** 2).sum()
loss.backward()
print(w.is_leaf, w.grad)
