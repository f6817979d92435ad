import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)

u = x * 2
y = u**2
y += 1
y.sum().backward()
print(x.grad)

u = x * 2
y = u**2
u += 1
y.sum().backward()
