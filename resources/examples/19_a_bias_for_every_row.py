"""One bias for every row

b has two numbers and is added to three rows. In the forward pass it is repeated three times, so in the backward pass
three gradients come back for each of its numbers and are summed.

Look at: the gradient that leaves the addition has the shape of b, not of y.
"""
import torch

x = torch.arange(6.).reshape(3, 2)
b = torch.zeros(2, requires_grad=True)
y = x + b
print(y)
y.sum().backward()
print(b.grad)
