import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
(x**2).sum().backward()
print(x.grad)
x.grad = None
(x**2).mean().backward()
print(x.grad)
