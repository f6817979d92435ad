import torch

x = torch.ones(3, requires_grad=True)
y = x * 2
y.backward(torch.ones(3, dtype=torch.float64))
print(x.grad)
y = x * 2
y.backward(torch.ones(3, dtype=torch.int64))
print(x.grad)
