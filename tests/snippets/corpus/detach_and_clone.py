import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * 2).detach()
print(y, y.is_leaf)
z = (x * 2).clone()
print(z)
c = x.detach().clone()
c[0] = 50
print(x, c)
t = x.clone().detach().requires_grad_(True)
(t * 3).sum().backward()
print(t.grad, x.grad)
