import torch

v = torch.tensor([1.0, 2.0], requires_grad=True)
M = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
B = torch.arange(8.0).reshape(2, 2, 2)
print(v @ v, M @ v, v @ M, M @ M)
print((B @ M).shape, (B @ M).grad_fn)
(M @ v).sum().backward()
print(v.grad, M.grad)
print(torch.outer(v, v))
print(torch.einsum("ij,j->i", M, v))
