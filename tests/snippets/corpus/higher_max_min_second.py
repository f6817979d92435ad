import torch

x = torch.tensor([1.0, 5.0, 2.0], requires_grad=True)
y = x.max() ** 2
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
(h,) = torch.autograd.grad(g.sum(), x)
print(h)
