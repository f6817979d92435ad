"""One step of gradient descent

The squared distance of x * w + b from 2 is a loss. backward() says for each of the three leaves which way the loss
grows; the optimizer takes one small step the other way. zero_grad() then sets every .grad to None.

Look at: the three leaves change only in optimizer.step(), not in backward(), and their version goes up by one.
"""
import torch
from torch import optim

torch.manual_seed(1)
x = torch.randn(1, requires_grad=True)
w = torch.randn(1, requires_grad=True)
b = torch.randn(1, requires_grad=True)

loss = (x * w + b - 2) ** 2
print(loss)

optimizer = optim.SGD([x, w, b], lr=0.01)
loss.backward()
print(x.grad, w.grad, b.grad)

optimizer.step()
print(x, w, b)
print(((x * w + b - 2) ** 2).item() < loss.item())

optimizer.zero_grad()
print(x.grad, w.grad, b.grad)
