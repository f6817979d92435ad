import torch

x = torch.tensor([2.0, 2.0, 2.0], requires_grad=True)
y = x * 2
print(y)
y.backward()
