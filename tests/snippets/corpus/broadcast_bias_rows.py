import torch

W = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([0.5, -0.5], requires_grad=True)
x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
out = x @ W + b
print(out)
out.mean().backward()
print(W.grad)
print(b.grad)
