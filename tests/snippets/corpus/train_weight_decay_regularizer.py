import torch

w = torch.tensor([2.0, -1.0], requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
y = torch.tensor([1.0, 0.0])
lam = 0.1
loss = ((x @ w - y) ** 2).mean() + lam * w.norm() ** 2 + lam * w.abs().sum()
loss.backward()
print(loss)
print(w.grad)
