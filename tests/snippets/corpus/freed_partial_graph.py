import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * 3
a = h + 1
b = h**2
a.backward()
print(x.grad)
b.backward()
