import torch
from torch.autograd.functional import jacobian

x = torch.tensor([1.0, 2.0], requires_grad=True)
J = jacobian(lambda t: t**2, x, create_graph=True)
print(J)
J.sum().backward()
print(x.grad)
