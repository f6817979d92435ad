import warnings
import numpy as np

warnings.filterwarnings("ignore", category=DeprecationWarning)
import torch
import matplotlib.pyplot as plt

np.random.seed(0)
torch.manual_seed(0)
X = np.r_[np.random.randn(20, 2) - 1, np.random.randn(20, 2) + 1].astype(np.float32)
y = np.r_[np.zeros(20), np.ones(20)].astype(np.int64)
model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
opt = torch.optim.Adam(model.parameters(), lr=0.05)
losses = []
for _ in range(20):
    loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(X)), torch.from_numpy(y))
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
xx, yy = np.meshgrid(
    np.linspace(X[:, 0].min() - 1, X[:, 0].max() + 1, 20), np.linspace(X[:, 1].min() - 1, X[:, 1].max() + 1, 20)
)
grid = np.c_[xx.ravel(), yy.ravel()].astype(np.float32)
with torch.no_grad():
    Z = model(torch.from_numpy(grid)).argmax(1).numpy().reshape(xx.shape)
print(xx.shape, grid.shape, Z.shape, Z.dtype, Z.mean().round(2) > 0, f"{losses[-1]:.3f}")
plt.figure(figsize=(8, 4))
plt.subplot(1, 2, 1)
plt.contourf(xx, yy, Z, alpha=0.4)
plt.scatter(X[:, 0], X[:, 1], c=y, s=20, edgecolor="k")
plt.title("Decision boundary")
plt.subplot(1, 2, 2)
plt.plot(losses, label="loss")
plt.xlabel("step")
plt.ylabel("loss")
plt.legend()
plt.grid(True)
plt.tight_layout()
plt.show()
a, b = np.broadcast_arrays(np.arange(3), np.zeros((2, 1)))
print(a.shape, b.shape, np.broadcast_to(np.arange(3), (2, 3)), np.ix_([0], [1])[0].shape)
with np.printoptions(precision=3, suppress=True):
    print(np.array([1.23456789, 0.00001]))
np.testing.assert_allclose(torch.ones(3).numpy(), np.ones(3), rtol=1e-5)
print(
    np.exp(torch.zeros(2)),
    np.sin(torch.tensor(0.0)),
    np.square(torch.arange(3)),
    np.add(torch.ones(2), 1),
    np.isnan(torch.tensor([1.0, float("nan")])),
)
print(np.apply_along_axis(lambda r: r.max() - r.min(), 1, X[:2]).round(3), X.strides, X.T.strides)
