import torch

x = torch.tensor([-2., -1., 0., 1.])
x[x < 0] = 0
print(x)
x[1:3] = torch.tensor([7., 8.])
print(x)
x[torch.tensor([0, 3])] += 1
print(x)
m = torch.zeros(3, 3)
m[1] = torch.arange(3.)
m[:, 0] = 9
m[2, 2] = -1
print(m)
print(m.nonzero())
