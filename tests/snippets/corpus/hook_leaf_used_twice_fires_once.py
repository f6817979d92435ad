import torch

x = torch.tensor(3.0, requires_grad=True)
x.register_hook(lambda g: print("leaf hook", g))
y = x * x + x
y.backward()
print(x.grad)
