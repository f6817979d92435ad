import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
z = y * 2
z.backward()
print(x.grad)
print(y.grad)
print(y.is_leaf, x.is_leaf)
