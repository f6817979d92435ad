import torch

x = torch.tensor([-2.0, -1.0, 0.0, 1.0])
x[x < 0] = 0
print(x)
x[1:3] = torch.tensor([7.0, 8.0])
print(x)
x[torch.tensor([0, 3])] += 1
print(x)
m = torch.zeros(3, 3)
m[1] = torch.arange(3.0)
m[:, 0] = 9
m[2, 2] = -1
print(m)
print(m.nonzero())
