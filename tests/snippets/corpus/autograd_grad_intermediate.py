import torch

x = torch.tensor(2.0, requires_grad=True)
h = x**2
y = torch.exp(h)
gh, gx = torch.autograd.grad(y, [h, x])
print(gh)
print(gx)
print(h.grad_fn)
