import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
print(x.flip(0))
print(torch.roll(x, 1, 1))
print(torch.diag(x))
print(torch.triu(x), torch.tril(x))
print(x.trace())
(torch.diag(x) * torch.tensor([10.0, 20.0])).sum().backward()
print(x.grad)
