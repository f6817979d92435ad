import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
rows = torch.eye(3)
(J,) = torch.autograd.grad(y, x, grad_outputs=rows, is_grads_batched=True)
print(J)
