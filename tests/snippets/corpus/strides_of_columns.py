"""The strides of single columns: of solutions, factors and indices they are those of a matrix stored by columns."""

import torch

a = torch.tensor([[2.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 3.0]])
b = torch.ones(3, 1)
print(torch.linalg.solve(a, b).stride(), torch.linalg.solve(a.expand(2, 3, 3), torch.ones(2, 3, 1)).stride())
print(torch.linalg.solve_triangular(a, b, upper=True).stride(), torch.cholesky_solve(b, torch.eye(3)).stride())
print(torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b).stride(), torch.unique(a, dim=1).stride())
print([x.stride() for x in torch.linalg.qr(b)], [x.stride() for x in torch.linalg.svd(b, full_matrices=False)])
print(torch.nonzero(torch.tensor([0, 1, 1])).stride(), torch.argwhere(torch.tensor([1, 0, 1])).stride())
print((a @ b).stride(), a.sum(1, keepdim=True).stride(), a[:, :1].stride(), a[:, :1].clone().stride(), b.t().stride())
print(a.mean(1, keepdim=True).stride(), torch.ones(3).unsqueeze(1).stride(), (a - a.mean(1, keepdim=True)).stride())
print(torch.linalg.solve(a, b).is_contiguous(), torch.linalg.solve(a, b).view(-1))
