import torch

x = torch.arange(6.0, requires_grad=True).reshape(2, 3)
print(x.sum(), x.sum(0), x.sum(dim=1, keepdim=True))
print(x.mean(), x.mean(1))
print(x.prod(), x.prod(1))
print(x.std(), x.var(0), x.var(unbiased=False))
print(torch.norm(x), x.norm(p=1), x.norm(dim=1))
