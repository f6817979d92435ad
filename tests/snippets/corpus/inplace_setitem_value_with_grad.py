import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor(5.0, requires_grad=True)
y = torch.zeros(3)
y[0] = v * 2
y[1:] = a[1:]
print(y)
(y**2).sum().backward()
print(v.grad, a.grad)
