"""A view as complex numbers whose base has another shape by now, and a tensor that shares other memory by now."""

import torch

x = (torch.arange(6.0) / 7 + 0.3).reshape(3, 1, 2).requires_grad_()
y = x * 1.5
pairs = torch.view_as_complex(y.unflatten(-1, (-1, 2))).view(-1)
y.transpose_(0, -1)
last = pairs[-1]
print(last.grad_fn.name(), last.detach(), (x * 2).requires_grad, torch.is_grad_enabled())
last.abs().backward()
print(x.grad)

whole = torch.ones(1, 2, 3, requires_grad=True) * 1.5
part = whole.view_as(whole)
part.set_(torch.zeros(1, 2, 3, requires_grad=True))
try:
    whole.sum().backward()
except RuntimeError as error:
    print(error)
