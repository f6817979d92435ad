"""Backward on a vector, and on a freed graph

y has three elements, so backward() wants to know how much each of them counts: v. The first two calls share one graph,
which the first kept with retain_graph=True. The last two do too, but nobody kept it: the buffers are gone.

Look at: the tab `other` on the multiplication. It is held until a backward without retain_graph runs, then struck out.
"""
import torch

x = torch.tensor([2., 2., 2.], requires_grad=True)
v = torch.tensor([0.1, 1, 10])

y = x * 2
y.backward(v, retain_graph=True)
print(x.grad)
y.backward(v)
print(x.grad)

x.grad.zero_()
y = x * 2
y.backward(v)
print(x.grad)
y.backward(v)
