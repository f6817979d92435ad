import torch

x = torch.tensor([[1.0, -2.0], [-3.0, 4.0]], requires_grad=True)
y = torch.tensor([0.5, 0.5], requires_grad=True)
z = torch.where(x > 0, x, y)
print(z)
z.sum().backward()
print(x.grad, y.grad)
m = torch.maximum(x, y)
print(m)
