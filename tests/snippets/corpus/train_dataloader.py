import torch
from torch.utils.data import DataLoader, TensorDataset

X = torch.arange(10.0).view(10, 1)
y = X * 2
ds = TensorDataset(X, y)
print(len(ds), ds[3])
loader = DataLoader(ds, batch_size=4, shuffle=False)
w = torch.zeros(1, requires_grad=True)
for epoch in range(2):
    for xb, yb in loader:
        loss = ((xb * w - yb) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
            w.grad = None
        print(tuple(xb.shape), f"{loss.item():.3f}")
