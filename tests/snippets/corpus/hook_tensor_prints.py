import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
h = x * 2
h.register_hook(lambda grad: print("h:", grad))
x.register_hook(lambda grad: print("x:", grad))
(h ** 2).sum().backward()
print(x.grad)
