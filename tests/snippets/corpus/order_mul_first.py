import torch

x = torch.tensor(2.0)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
y = w * x + b
z = y * w
y.register_hook(lambda g: print("grad of y", g))
z.register_hook(lambda g: print("grad of z", g))
w.register_hook(lambda g: print("grad of w", g))
b.register_hook(lambda g: print("grad of b", g))
z.backward()
print(w.grad, b.grad)
