import torch

w = torch.ones(3)
w.add_(2)
w.requires_grad_()
with torch.no_grad():
    w.mul_(2)
print(w, w._version)
w.sum().backward()
print(w.grad)
