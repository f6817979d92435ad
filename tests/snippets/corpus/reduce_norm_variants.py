import torch

x = torch.tensor([3., 4.], requires_grad=True)
n = x.norm()
print(n)
n.backward()
print(x.grad)
print(torch.linalg.norm(x), x.abs().sum(), x.norm(float("inf")))
print(torch.nn.functional.normalize(x, dim=0))
print(torch.dist(x, torch.zeros(2)))
