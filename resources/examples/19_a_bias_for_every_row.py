import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y += 1
print(y, y._version)
y.sum().backward()
print(x.grad)
