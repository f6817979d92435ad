import torch

torch.manual_seed(3)
w = (torch.randn(3) * 0.01).requires_grad_()
print(w.is_leaf)
loss = (w**2).sum()
loss.backward()
print(w.grad)
print(w)
