import torch

a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.])
y = a * b
b += 1
y.sum().backward()
