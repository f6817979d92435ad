import torch

x = torch.tensor([2.0, 2.0], requires_grad=True)
for i in range(3):
    (x * x).sum().backward()
    print(x.grad)
