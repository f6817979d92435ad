import torch

x = torch.tensor([4.0, 9.0], requires_grad=True)
y = x.clone()
y.sqrt_().mul_(2).add_(1)
print(y)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e).split(";")[0])
y = x.clone().add_(1).neg_()
print(y)
y.sum().backward()
print(x.grad)
