import torch

w = torch.tensor(1.0, requires_grad=True)
(w * 2).backward()
print(w.grad)
del w.grad
print(w.grad)
(w * 5).backward()
print(w.grad)
