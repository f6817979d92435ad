import torch

x = torch.tensor([2., 2., 2.], requires_grad=True)
y = x * 2
print(y)
y.backward()
