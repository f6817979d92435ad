import torch
from torch import optim

torch.manual_seed(1)
x = torch.randn(1, requires_grad=True)
w = torch.randn(1, requires_grad=True)
b = torch.randn(1, requires_grad=True)
print(x, w, b)

loss = (x * w + b - 2) ** 2
print(loss)

optimizer = optim.SGD([x, w, b], lr=0.01)
loss.backward()
print(x.grad, w.grad, b.grad)
optimizer.step()
print(x, w, b)
optimizer.zero_grad()
print(x.grad, w.grad, b.grad)
print(((x * w + b - 2) ** 2).item() < loss.item())
