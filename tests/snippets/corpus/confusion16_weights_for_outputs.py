import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.backward(torch.tensor([1.0, 10.0]))
print(x.grad)

y = x * x
try:
    y.backward(torch.ones(3))
except RuntimeError as e:
    print(e)
