import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x.exp()
z = y.sum()
y += 1
print(y._version)
z.backward()
