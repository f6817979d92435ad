import torch

x = torch.arange(16.0).reshape(4, 4).requires_grad_()
print(torch.hsplit(x, [3, 6]))
print(torch.tensor_split(x, (1, -1)))
