import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
y.backward(torch.tensor([1., 10.]))
print(x.grad)

y = x * x
try:
    y.backward(torch.ones(3))
except RuntimeError as e:
    print(e)
