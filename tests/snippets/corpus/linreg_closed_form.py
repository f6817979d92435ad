import torch

A = torch.tensor([[1., 1.], [1., 2.], [1., 3.]])
y = torch.tensor([[1.], [2.], [2.]])
theta = torch.inverse(A.t() @ A) @ A.t() @ y
print(theta)
w = torch.zeros(2, 1, requires_grad=True)
for _ in range(200):
    loss = ((A @ w - y) ** 2).sum()
    g, = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= 0.05 * g
print(w)
