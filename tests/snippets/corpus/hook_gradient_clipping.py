import torch

w = torch.tensor([1., 2., 3.], requires_grad=True)
w.register_hook(lambda g: g.clamp(-1, 1))
(w ** 3).sum().backward()
print(w.grad)
