import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
x.data += 1
y.backward()
print(x.grad)
print(x._version)
