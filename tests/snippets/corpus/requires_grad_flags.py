import torch

a = torch.ones(2)
b = torch.ones(2, requires_grad=True)
print((a + a).requires_grad, (a + b).requires_grad)
b.requires_grad_(False)
print((a + b).requires_grad)
c = a + torch.ones(2, requires_grad=True)
try:
    c.requires_grad = False
except RuntimeError as e:
    print(e)
print(torch.ones_like(b).requires_grad, torch.ones_like(b, requires_grad=True).requires_grad)
