import torch

for name in ("asinh_", "acosh_", "atanh_", "arccosh_"):
    x = torch.tensor([0.25, 0.5], requires_grad=True)
    y = x + 1.5 if "cosh" in name else x * 1
    getattr(y, name)()
    print(y)
    try:
        y.sum().backward()
    except NotImplementedError as error:
        print(error)
    print(x.grad)
    x.asinh().sum().backward()
    print(x.grad)

y = torch.ones(2, requires_grad=True) * 2
try:
    torch.acosh_(y).sum().backward()
except NotImplementedError as error:
    print(error)
