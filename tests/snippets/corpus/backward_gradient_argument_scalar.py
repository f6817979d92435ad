import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.backward(torch.tensor(10.0))
print(x.grad)
x.grad = None
y = x**2
y.backward(gradient=torch.tensor(0.5))
print(x.grad)
