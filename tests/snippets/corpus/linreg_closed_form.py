import torch

A = torch.tensor([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
y = torch.tensor([[1.0], [2.0], [2.0]])
theta = torch.inverse(A.t() @ A) @ A.t() @ y
print(theta)
w = torch.zeros(2, 1, requires_grad=True)
for _ in range(200):
    loss = ((A @ w - y) ** 2).sum()
    (g,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= 0.05 * g
print(w)
