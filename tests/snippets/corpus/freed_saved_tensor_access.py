import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
fn = y.grad_fn
print(fn._saved_result)
y.sum().backward()
fn._saved_result
