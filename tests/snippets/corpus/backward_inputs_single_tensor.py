import torch

a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
(a * b).sum().backward(inputs=a)
print(a.grad, b.grad)
