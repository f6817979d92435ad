import torch

x = torch.tensor(2.0)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)

y = w * x + b
print(y)
print(x.grad, w.grad, b.grad)

y.backward()
print(x.grad)
print(w.grad)
print(b.grad)
