import torch

torch.manual_seed(3)
w = torch.randn(3, requires_grad=True) * 0.01
print(w.is_leaf, w.grad_fn)
loss = (w**2).sum()
loss.backward()
print(w.grad)

v = torch.ones(3, requires_grad=True).to(torch.float64)
print(v, v.is_leaf)
