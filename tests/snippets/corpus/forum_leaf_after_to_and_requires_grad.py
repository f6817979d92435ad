import torch

a = torch.ones(2, requires_grad=True).to("cpu")
b = torch.ones(2, requires_grad=True).float()
c = torch.ones(2, requires_grad=True).double()
d = torch.ones(2).double().requires_grad_()
print(a.is_leaf, b.is_leaf, c.is_leaf, d.is_leaf)
print(c.grad_fn.next_functions[0][0].variable)
