import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.double() * 2
print(y, y.dtype)
y.sum().backward()
print(x.grad, x.grad.dtype)
h = x.half() * 3
print(h)
h.sum().backward()
print(x.grad)
print(x.long(), x.int(), x.bool())
print(x.float() is x, x.to(torch.float32) is x)
