import torch

torch.manual_seed(0)
X = torch.randn(8, 3)
y = torch.randn(8, 1)
w = torch.zeros(3, 1, requires_grad=True)
loss = ((X @ w - y) ** 2).mean()
loss.backward()
full = w.grad.clone()
w.grad = None
for i in range(0, 8, 2):
    part = ((X[i : i + 2] @ w - y[i : i + 2]) ** 2).mean() / 4
    part.backward()
print(full)
print(w.grad)
print(torch.allclose(full, w.grad))
