import torch

A = torch.tensor([[2.0, 1.0], [0.0, 3.0]], requires_grad=True)
B = torch.tensor([[1.0, -1.0], [2.0, 0.5]])
torch.trace(A @ B).backward()
print(torch.equal(A.grad, B.t()))
A.grad = None
torch.logdet(A @ A.t()).backward()
print(torch.allclose(A.grad, 2 * torch.inverse(A.detach()).t()))
