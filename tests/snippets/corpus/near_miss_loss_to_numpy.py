import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
print(y.detach().numpy())
print(y.numpy())
