import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = x**2, x.exp()
print(torch.autograd.grad([a.sum(), b.sum()], x))
a, b = x**2, x.exp()
print(torch.autograd.grad([a, b], [x], [torch.ones(2), torch.tensor([0.0, 1.0])]))
