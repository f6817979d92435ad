import torch

x = torch.tensor([[1.0, 5.0, 3.0], [9.0, 2.0, 9.0]], requires_grad=True)
print(x.max())
print(x.max(1))
values, indices = torch.min(x, dim=0)
print(values, indices)
print(x.argmax(), x.argmax(dim=1), x.argmin(0))
print(torch.max(x, torch.tensor(4.0)))
x.max(1)[0].sum().backward()
print(x.grad)
print(x.topk(2, dim=1))
print(torch.sort(x, descending=True))
