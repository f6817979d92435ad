import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
y = h * h
h.zero_()
y.sum().backward()
