import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
y = h.exp() * h
h.add_(1)
fn = y.grad_fn
print(fn._saved_self)
fn._saved_other
