import torch

x = torch.tensor([0.4, 1.6], requires_grad=True)
y = torch.round(x)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
torch.sign(x).sum().backward()
print(x.grad)
