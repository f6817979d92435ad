import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
y = a * b
print(y.grad_fn._saved_self)
print(y.grad_fn._saved_other)
z = a * torch.tensor([5.0, 6.0])
print(z.grad_fn._saved_self, z.grad_fn._saved_other)
