import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
x.detach().add_(1)
print(x, x._version)
y.backward()
