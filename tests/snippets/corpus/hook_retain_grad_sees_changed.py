import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
y.retain_grad()
y.register_hook(lambda g: g * 7)
y.backward()
print(y.grad, x.grad)
