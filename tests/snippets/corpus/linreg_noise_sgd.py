import torch

torch.manual_seed(1)
true_w = torch.tensor([2.0, -3.4])
X = torch.randn(32, 2)
y = X @ true_w + 4.2 + 0.01 * torch.randn(32)
w = torch.zeros(2, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.1)
for epoch in range(30):
    for i in range(0, 32, 8):
        xb, yb = X[i : i + 8], y[i : i + 8]
        loss = ((xb @ w + b - yb) ** 2).mean() / 2
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 10 == 9:
        print(f"epoch {epoch + 1}, loss {loss.item():.4f}")
print(w.detach(), b.detach())
