import torch

torch.manual_seed(0)
X = torch.cat([torch.randn(10, 2) + 4, torch.randn(10, 2) - 4])
centers = X[torch.randperm(20)[:2]].clone()
for _ in range(5):
    d = torch.cdist(X, centers)
    assign = d.argmin(dim=1)
    centers = torch.stack([X[assign == k].mean(0) if (assign == k).any() else centers[k] for k in range(2)])
print(sorted(round(c[0].item(), 2) for c in centers), assign.bincount().tolist())
Xc = X - X.mean(0)
U, S, Vh = torch.linalg.svd(Xc, full_matrices=False)
print(S, (S**2 / (S**2).sum()), (Xc @ Vh.T[:, :1]).shape)
cov = Xc.T @ Xc / (len(X) - 1)
values, vectors = torch.linalg.eigh(cov)
print(
    torch.allclose(values.flip(0), S**2 / 19, rtol=1e-4),
    torch.linalg.matrix_rank(cov),
    torch.linalg.det(torch.eye(2)),
    torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 4.0])),
)
A = torch.tensor([[3.0, 1.0], [1.0, 2.0]])
print(
    torch.linalg.inv(A) @ A,
    torch.linalg.cholesky(A),
    torch.linalg.norm(A),
    torch.trace(A),
    torch.linalg.eigvals(A).real.sort().values,
)
