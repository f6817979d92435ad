import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.retain_grad()
z = y * 2
z.backward()
print(x.grad, y.grad)
print(y.retains_grad, x.retains_grad)
