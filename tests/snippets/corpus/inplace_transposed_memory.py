import torch

x = torch.arange(6.0, requires_grad=True)
w = torch.arange(6.0).reshape(2, 3) + 1


def show(loss):
    loss.backward()
    print(x.grad)
    x.grad = None


b = x.reshape(2, 3).t() * 1  # lies transposed in memory
b[0] = 5
show((b * w.t()).sum())

b = x.reshape(2, 3) * 1
b[0, 1:] = 0
show((b.t() * w.t()).sum())  # the gradient comes transposed

b = x.reshape(2, 3).t() * 2
r = b[1]
r.mul_(10)
print(b.stride(), r.grad_fn)
show((b * w.t()).sum() + (r * torch.tensor([1.0, 2.0])).sum())

b = x.reshape(2, 3) * 2
r = b[:, 1]
r.add_(1)
s = b.t()[2]
s.mul_(5)
print(b)
show((r * torch.tensor([1.0, 2.0])).sum() + (s * torch.tensor([3.0, 4.0])).sum())

d = x.reshape(2, 3).t() * 2
torch.diagonal(d).mul_(4)
show((d * w.t()).sum())

e = x.reshape(1, 2, 3).permute(2, 0, 1) * 3
e[1, 0] = e[1, 0] * 2
show((e.reshape(-1) * torch.arange(6.0)).sum())
