import torch
import torch.nn.functional as F

a = torch.tensor([[1.0, 0.0], [1.0, 1.0]], requires_grad=True)
b = torch.tensor([[1.0, 1.0], [-1.0, 2.0]])
c = F.cosine_similarity(a, b)
print(c)
c.sum().backward()
print(a.grad)
