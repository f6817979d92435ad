import torch

x = torch.tensor(3.0, requires_grad=True)
y = x.detach() * x
y.backward()
print(y, x.grad)
x.grad = None
(x * x).backward()
print(x.grad)
