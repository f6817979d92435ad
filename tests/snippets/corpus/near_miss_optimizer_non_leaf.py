import torch

w = torch.ones(2, requires_grad=True) * 0.5
print(w.is_leaf)
opt = torch.optim.SGD([w], lr=0.1)
