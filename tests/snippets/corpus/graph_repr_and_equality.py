import torch

x = torch.ones(1, requires_grad=True)
y = x * 2
print(y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn)
print(y.grad_fn.name(), str(type(y.grad_fn)).split("'")[1])
print(x.grad_fn, x.is_leaf, y.is_leaf)
z = y.view(1)
print(z.grad_fn.next_functions[0][0] is y.grad_fn, z._base is y, z._is_view())
