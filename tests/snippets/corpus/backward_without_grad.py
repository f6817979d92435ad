import torch

x = torch.tensor(4.0)
print(x.requires_grad, x.grad_fn)
x.backward()
