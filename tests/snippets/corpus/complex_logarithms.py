"""logaddexp, logcumsumexp and silu of complex numbers."""

import torch

x = torch.tensor([1 + 5j, 2 - 7j, -1 + 1j], requires_grad=True)
y = torch.tensor([1 - 5j, 1j, 3 + 0j], requires_grad=True)
both = torch.logaddexp(x, y)
print(both)
both.abs().sum().backward()
print(x.grad, y.grad)
x.grad = None
running = torch.logcumsumexp(x, 0)
print(running, torch.logcumsumexp(torch.stack([x, y]).detach(), 0))
(running * torch.tensor([1.0, 2j, -1.0])).real.sum().backward()
print(x.grad)
print(torch.nn.functional.silu(x.detach()))
try:
    torch.nn.functional.silu(x)
except RuntimeError as error:
    print(error)
