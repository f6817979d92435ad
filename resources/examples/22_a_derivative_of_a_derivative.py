"""A derivative of a derivative

With create_graph=True the backward pass is recorded like a forward pass, and the gradient has a history of its own. So
it can be differentiated again. Without it, the gradient is a plain number and a second derivative is an error.

Look at: the new nodes that the first call adds to the graph.
"""
import torch

x = torch.tensor(2., requires_grad=True)
y = x ** 4

dy, = torch.autograd.grad(y, x, create_graph=True)
print(dy)
d2y, = torch.autograd.grad(dy, x, create_graph=True)
print(d2y)
d3y, = torch.autograd.grad(d2y, x)
print(d3y)

torch.autograd.grad(d3y, x)
