"""Gradients pile up

backward() adds to .grad, it does not replace it. Without zero_grad() the third step works with the sum of three
gradients. A name for the old gradient does not help: it is the same tensor, and it changes too.

Look at: g before and after each AccumulateGrad.
"""
import torch

x = torch.tensor([2., 2.], requires_grad=True)

(x * x).sum().backward()
g = x.grad
print(g)

(x * x).sum().backward()
print(g)

(x * x).sum().backward()
print(g, g is x.grad)
