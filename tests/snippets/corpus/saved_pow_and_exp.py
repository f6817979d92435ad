import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
p = x**3
print(p.grad_fn._saved_exponent, p.grad_fn._saved_self)
e = x.exp()
print(e.grad_fn._saved_result.equal(e), e.grad_fn._saved_result is e)
print(e.grad_fn._saved_result)
