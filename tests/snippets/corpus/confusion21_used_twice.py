import torch

h = torch.tensor(2.0, requires_grad=True)
y = h * h + h
y.backward()
print(y, h.grad)
