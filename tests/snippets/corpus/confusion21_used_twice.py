import torch

h = torch.tensor(2., requires_grad=True)
y = h * h + h
y.backward()
print(y, h.grad)
