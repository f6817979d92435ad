import torch

x = torch.tensor([3.0, 4.0], requires_grad=True)
n = x.norm()
print(n)
n.backward()
print(x.grad)
print(torch.linalg.norm(x), x.abs().sum(), x.norm(float("inf")))
print(torch.nn.functional.normalize(x, dim=0))
print(torch.dist(x, torch.zeros(2)))
