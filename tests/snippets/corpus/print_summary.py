import torch

print(torch.arange(2000))
print(torch.arange(2000.0))
print(torch.zeros(30, 50))
x = torch.linspace(0, 1, 1500, requires_grad=True)
print(x)
print(x * 2)
