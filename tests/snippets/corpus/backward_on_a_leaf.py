import torch

x = torch.tensor(4.0, requires_grad=True)
x.backward()
print(x.grad)
x.backward()
print(x.grad)
