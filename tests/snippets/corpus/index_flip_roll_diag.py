import torch

x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
print(x.flip(0))
print(torch.roll(x, 1, 1))
print(torch.diag(x))
print(torch.triu(x), torch.tril(x))
print(x.trace())
(torch.diag(x) * torch.tensor([10., 20.])).sum().backward()
print(x.grad)
