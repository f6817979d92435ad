import torch
A = torch.tensor([[2., 1.], [1., 3.]])
v = torch.ones(2)
for _ in range(30):
    v = A @ v
    v = v / v.norm()
print(v, (v @ A @ v).item(), torch.linalg.eigvalsh(A))
