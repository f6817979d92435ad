import torch

x = torch.tensor(1.0, requires_grad=True)
for i in range(4):
    (x**2 / 4).backward()
    print(x.grad)
x.grad = None
torch.stack([x**2 for _ in range(4)]).mean().backward()
print(x.grad)
