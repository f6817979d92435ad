import torch

buf = torch.zeros(3)
x = torch.ones(3, requires_grad=True)
buf += x * 2
print(buf, buf.is_leaf)
buf.sum().backward()
print(x.grad)
