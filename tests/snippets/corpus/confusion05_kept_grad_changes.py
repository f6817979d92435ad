import torch

x = torch.tensor(2.0, requires_grad=True)
(x * x).backward()
g = x.grad
copy = x.grad.clone()
print(g)
(x * x).backward()
print(g, copy, x.grad)
print(g is x.grad, g.data_ptr() == x.grad.data_ptr())
x.grad = None
(x * x).backward()
print(g, x.grad)
