import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w.register_hook(lambda g: g.clamp(-1, 1))
(w**3).sum().backward()
print(w.grad)
