import torch

x = torch.tensor([1., 2.], requires_grad=True)
h = x.exp()
y = h * h
h.zero_()
y.sum().backward()
