import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = x * 2
h.register_hook(lambda grad: print("h:", grad))
x.register_hook(lambda grad: print("x:", grad))
(h**2).sum().backward()
print(x.grad)
