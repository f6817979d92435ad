import torch

x = torch.arange(6.0, requires_grad=True)
y = x.view(2, 3).t().sum(0).mean()
for i in range(3):
    y.backward()
    print(i, x.grad)
