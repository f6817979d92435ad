import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
y = torch.tensor([1.0, 0.0, 2.0])
rows = []
for xi, yi in zip(X, y):
    (g,) = torch.autograd.grad((xi @ w - yi) ** 2, w)
    rows.append(g)
print(torch.stack(rows))
print(torch.stack(rows).mean(0))
loss = ((X @ w - y) ** 2).mean()
loss.backward()
print(w.grad)
