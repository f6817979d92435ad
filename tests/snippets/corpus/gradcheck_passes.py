import torch
from torch.autograd import gradcheck, gradgradcheck

torch.manual_seed(0)
x = torch.randn(3, 2, dtype=torch.double, requires_grad=True)
w = torch.randn(2, 2, dtype=torch.double, requires_grad=True)
print(gradcheck(lambda a, b: torch.tanh(a @ b), (x, w), eps=1e-6, atol=1e-4))
print(gradgradcheck(lambda a: (a**3).sum(), (x,)))
print(gradcheck(torch.nn.functional.softplus, x))
