import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
print(y)
y.detach_()
print(y, y.requires_grad)
v = torch.ones(3, requires_grad=True)
try:
    (v * 2)[0].detach_()
except RuntimeError as e:
    print(e)
