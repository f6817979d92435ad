import torch
import torch.nn.functional as F

X = torch.ones(6, 8)
X[:, 2:6] = 0
K = torch.tensor([[1.0, -1.0]])
Y = F.conv2d(X[None, None], K[None, None])[0, 0]
print(Y)
w = torch.tensor([[[[0.3, 0.1]]]], requires_grad=True)
for i in range(10):
    Y_hat = F.conv2d(X[None, None], w)
    loss = ((Y_hat - Y) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 3e-2 * w.grad
        w.grad.zero_()
    if (i + 1) % 5 == 0:
        print(f"epoch {i + 1}, loss {loss.item():.3f}")
print(w.detach().reshape(1, 2))
