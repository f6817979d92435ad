import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
c = x.cumsum(0)
print(c)
c.backward(torch.tensor([1.0, 0.0, 0.0, 1.0]))
print(x.grad)
x.grad = None
p = x.cumprod(0)
print(p)
p.sum().backward()
print(x.grad)
print(torch.logsumexp(x, 0))
