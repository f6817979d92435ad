import torch

a = torch.zeros(2, 2)
src = torch.tensor([1.0, 2.0], requires_grad=True)
a.copy_(src * 3)
print(a)
a.sum().backward()
print(src.grad)
