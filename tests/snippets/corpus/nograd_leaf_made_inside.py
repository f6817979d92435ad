import torch

with torch.no_grad():
    w = torch.ones(2, requires_grad=True)
    print(w.requires_grad)
(w * 2).sum().backward()
print(w.grad)
