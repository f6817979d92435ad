import torch

X = torch.arange(6.0).reshape(3, 2)
b = torch.zeros(2, requires_grad=True)
k = torch.tensor(2.0, requires_grad=True)
((X + b) * k).sum().backward()
print(b.grad, k.grad, b.grad.shape == b.shape)
