import torch


@torch.no_grad()
def doubler(x):
    return x * 2


@torch.enable_grad()
def tripler(x):
    return x * 3


x = torch.tensor([1.0], requires_grad=True)
print(doubler(x))
with torch.no_grad():
    print(tripler(x))
