import torch

a = torch.ones(2, 2)
o = torch.empty(0)
torch.matmul(a, a, out=o)
print(o)
print(torch.add(a, a, out=o), torch.sum(a, 0, out=o), o)
v = torch.empty(0)
i = torch.empty(0, dtype=torch.long)
print(torch.max(a, 1, out=(v, i)))
torch.cat([a, a], out=o)
print(o)
torch.mm(a.requires_grad_(), a, out=o)
