import torch

torch.manual_seed(0)
X = torch.cat([torch.ones(10, 1), torch.arange(10.0).unsqueeze(1)], 1)
y = X @ torch.tensor([[1.0], [2.0]]) + 0.1 * torch.randn(10, 1)
w = torch.linalg.lstsq(X, y).solution
w2 = torch.inverse(X.T @ X) @ X.T @ y
w3 = torch.linalg.pinv(X) @ y
print(w.flatten(), torch.allclose(w, w2, atol=1e-3), torch.allclose(w, w3, atol=1e-3), ((X @ w - y) ** 2).mean())
