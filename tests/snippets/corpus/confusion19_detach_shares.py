import torch

x = torch.zeros(3, requires_grad=True)
y = x.detach()
y[0] = 100
print(x)
print(y.requires_grad, y.data_ptr() == x.data_ptr())
c = x.clone()
print(c)
c.detach()[1] = 7
print(x, c)
