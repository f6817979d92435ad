import torch

W = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = torch.tensor([0.5, -0.5], requires_grad=True)
x = torch.tensor([[1., 0.], [0., 1.], [1., 1.]])
out = x @ W + b
print(out)
out.mean().backward()
print(W.grad)
print(b.grad)
