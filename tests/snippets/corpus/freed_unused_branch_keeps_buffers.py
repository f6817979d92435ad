import torch

x = torch.tensor(2.0, requires_grad=True)
a = x.exp()
b = x.sin()
a.backward()
print(x.grad)
b.backward()
print(x.grad)
