import warnings
import numpy as np

warnings.filterwarnings("ignore", category=DeprecationWarning)
import torch

a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
t[0, 0] = 100
print(a, t.dtype, torch.as_tensor(a).data_ptr() == t.data_ptr())
n = torch.ones(3).numpy()
n += 1
print(n, n.dtype, type(n))
print(
    torch.tensor(np.float64(1.5)),
    torch.tensor(np.array([1, 2])),
    torch.tensor([np.float32(1)]),
    torch.Tensor(np.ones(2)),
)
x = torch.arange(3.0)
print(np.asarray(x), np.array(x), np.mean(x.numpy()), x.numpy().sum())
print(x + torch.from_numpy(np.ones(3)), torch.from_numpy(np.ones(3)) * 2)
print(np.allclose(x.numpy(), [0, 1, 2]), np.linalg.norm(x), np.dot(x, x), np.square(x.numpy()))
print(np.exp(x.numpy()), np.maximum(x.numpy(), 1), np.concatenate([x.numpy(), x.numpy()]))
print(type(np.sin(x)), np.sin(x))
w = torch.ones(2, requires_grad=True)
try:
    np.array(w)
except RuntimeError as e:
    print(e)
print(w.detach().numpy(), w.data.numpy(), w.tolist())
print(torch.tensor(3).numpy(), torch.tensor(3).item() + np.int64(2), int(torch.tensor(3)), float(torch.tensor(2.5)))
rng = np.random.default_rng(0)
print(rng.normal(size=3).round(4), rng.integers(0, 10, 5), rng.permutation(5), rng.choice(["a", "b"], 3))
np.random.seed(1)
print(
    np.random.rand(2),
    np.random.randn(2),
    np.random.randint(0, 5, 3),
    np.random.choice(5, 2, replace=False),
    np.random.permutation(4),
)
m = np.random.RandomState(3).randn(3, 3)
print(np.linalg.inv(m) @ m.round(3) if False else np.round(np.linalg.det(m), 5))
print(
    np.meshgrid(np.linspace(0, 1, 2), np.linspace(0, 1, 3))[0].shape, np.eye(2), np.zeros((2, 2), int), np.full(2, 7.0)
)
print(
    np.where(a > 2, a, 0),
    a[a > 2],
    a.argmax(),
    a.T.shape,
    a.mean(axis=0),
    np.argsort([3, 1, 2]),
    np.unique([1, 1, 2], return_counts=True),
)
print(
    np.stack([a, a]).shape,
    np.vstack([a, a]).shape,
    np.hstack([a, a]).shape,
    a[:, None].shape,
    a[np.newaxis].shape,
    np.expand_dims(a, 0).shape,
)
print(torch.from_numpy(a[::-1].copy()))
try:
    torch.from_numpy(a[::-1])
except ValueError as e:
    print(e)
print(
    a.astype(int),
    a.astype(np.float64).dtype,
    np.float32,
    a.dtype == np.float32,
    np.issubdtype(a.dtype, np.floating),
    a.nbytes,
    a.itemsize,
    a.strides,
)
print(
    np.isnan(np.nan),
    np.inf,
    np.pi,
    np.clip([1, 5], 2, 3),
    np.cumsum([1, 2]),
    np.percentile([1, 2, 3], 50),
    np.std([1, 2, 3]),
    np.outer([1, 2], [3, 4]),
    np.einsum("ij->j", a),
    np.histogram([1, 2, 2], bins=2),
)
np.set_printoptions(precision=2, suppress=True)
print(np.array([1.23456, 1e-9]))
print(
    torch.tensor([[1, 2], [3, 4]]).numpy().tolist(),
    np.array_equal(a, a.copy()),
    np.polyfit([0, 1, 2], [1, 3, 5], 1).round(3),
    np.polyval([1, 2], 3),
)
for row in a:
    print(row, end=" ")
print(a.flatten(), a.ravel()[:2], a.size, a.ndim, len(a), 100 in a, a.max(), a.min(1), (a > 1).any(), (a >= 0).all())
try:
    print(torch.ones(2) + np.ones(3))
except Exception as e:
    print(type(e).__name__, e)
print(torch.ones(2) * np.float64(2), np.float64(2) * torch.ones(2), torch.ones(2) + np.ones(2))
