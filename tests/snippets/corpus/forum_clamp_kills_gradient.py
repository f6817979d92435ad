import torch

x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
y = x.clamp(0, 1)
y.sum().backward()
print(y, x.grad)
x.grad = None
torch.sigmoid(x).sum().backward()
print(x.grad)
