import torch

x = torch.ones(2, requires_grad=True)
a, b, c = x.detach(), x.clone(), x.clone().detach()
a[0] = 7
print(x, b, c, a.requires_grad, b.requires_grad, b.grad_fn.name(), a.data_ptr() == x.data_ptr())
with torch.no_grad():
    x.fill_(3)
print(a, x.data is not x, x.requires_grad)
