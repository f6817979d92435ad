import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**3
y.backward(create_graph=True)
print(x.grad)
x.grad.backward()
print(x.grad)
