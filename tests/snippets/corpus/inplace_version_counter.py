import torch

x = torch.zeros(3)
print(x._version)
x += 1
print(x._version)
x[0] = 5
x.mul_(2)
print(x._version)
y = x.detach()
y.add_(1)
print(x._version, y._version)
z = x.data
z.add_(1)
print(x._version, z._version)
v = x[1:]
v.zero_()
print(x._version, v._version)
print(x)
