import torch

x = torch.zeros(1, 3, 1, requires_grad=True)
print(x.squeeze().shape, x.squeeze(0).shape, x.squeeze(1).shape)
print(x.unsqueeze(-1).shape, x.flatten().shape, x.permute(2, 0, 1).shape)
print(x.repeat(2, 1, 2).shape, x.expand(4, 3, -1).shape)
print(x.view(3).shape, x.reshape(-1, 1).shape, x.transpose(0, 1).shape)
y = x.repeat(2, 1, 2).sum()
y.backward()
print(x.grad.flatten())
