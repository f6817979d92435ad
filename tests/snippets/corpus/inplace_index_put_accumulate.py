import torch

x = torch.zeros(4)
i = torch.tensor([1, 1, 3])
x[i] += 1
print(x)
x = torch.zeros(4)
x.index_put_((i,), torch.ones(3), accumulate=True)
print(x)
x.index_add_(0, i, torch.tensor([1.0, 2.0, 3.0]))
print(x)
v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.zeros(4).index_add(0, i, v)
(y**2).sum().backward()
print(v.grad)
