import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x)
print(x + 1)
print(x.double())
print(x.sum())
print(x.to(torch.bfloat16))
print(x.reshape(2, 1))
print([x, x * 2])
print({"a": x * 3})
print((x * 2).detach())
