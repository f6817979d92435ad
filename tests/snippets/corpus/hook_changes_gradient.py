import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
handle = h.register_hook(lambda g: g * 10)
h.sum().backward()
print(x.grad)
x.grad = None
handle.remove()
h = x * 3
h.sum().backward()
print(x.grad)
