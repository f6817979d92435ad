import torch

a = torch.tensor([1.0, 2.0])
out = torch.zeros(2)
torch.add(a, 10, out=out)
print(out)
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.mul(x, 2, out=out)
