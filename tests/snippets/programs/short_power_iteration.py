import torch

A = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
v = torch.ones(2)
for _ in range(30):
    v = A @ v
    v = v / v.norm()
print(v, (v @ A @ v).item(), torch.linalg.eigvalsh(A))
