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


def tell(what, fn):
    try:
        print(what, fn())
    except Exception as e:
        print(what, f"{type(e).__name__}: {e}")


a = np.array([[1.0, -2.0, 3.5], [0.25, 4.0, -1.5]])
n = np.array([5, 2, 7, 1])
print(np.positive(a), np.conjugate(a), np.fix(a), np.pow(a, 2), np.spacing(a), sep="\n")
print(np.acos(a / 4), np.asin(a / 4), np.atan(a), np.atan2(a, 2), np.asinh(a), np.acosh(a + 3), np.atanh(a / 5), sep="\n")
print(np.concat([a, a]), np.permute_dims(a, (1, 0)), np.matrix_transpose(a), np.unstack(a), sep="\n")
print(np.bitwise_not(n), np.bitwise_invert(n), np.bitwise_left_shift(n, 1), np.bitwise_right_shift(n, 1), np.bitwise_count(n))
print(np.vecdot(a, a), np.matvec(a, a[0]), np.vecmat(a[:, 0], a), np.cumulative_sum(n), np.cumulative_prod(n))
print(np.hsplit(a, 3), np.vsplit(a, 2), np.dsplit(a.reshape(1, 2, 3), 3))
print(np.diagflat([1, 2]), np.tril_indices_from(a[:, :2]), np.triu_indices_from(a[:, :2]), np.diag_indices_from(a[:, :2]))
print(np.nanpercentile(a, 30), np.nanquantile(a, 0.3), np.nancumprod(a), np.histogram_bin_edges(n, 3))
print(np.histogramdd(a.T, bins=2), np.isrealobj(a), np.real_if_close(a + 0j), np.logaddexp2(a, 1.0))
print(np.broadcast_shapes((2, 1), (3,)), np.polyadd([1, 2], [3]), np.polysub([1, 2], [3]), np.polymul([1, 2], [3, 4]))
print(np.polydiv([1.0, 3, 2], [1.0, 1]), np.compress([True, False], a, axis=0), np.sort_complex(n), np.i0(a), np.unwrap(a))
print(np.format_float_positional(0.125), np.format_float_scientific(0.125), np.packbits([1, 0, 1]), np.unpackbits(np.array([5], np.uint8)))
print(np.linalg.svdvals(a), np.linalg.trace(a), np.linalg.diagonal(a), np.linalg.cross(a[0], a[1]), np.linalg.outer([1, 2], [3, 4]))
print(np.linalg.matmul(a, a.T), np.linalg.vector_norm(a), np.linalg.matrix_norm(a), np.linalg.tensordot(a, a), np.linalg.vecdot(a, a))
print(list(np.ndindex(2, 2)), list(np.ndindex((1, 2))), list(np.ndenumerate(a)))
print(np.fromfunction(lambda i, j: i + 10 * j, (2, 2)), np.fromfunction(lambda i, j: i == j, (2, 2), dtype=int))
print(np.s_[1:3, ::2], a[np.s_[:, 1:]], np.euler_gamma, np.True_, np.False_)
print(np.seterr(all="ignore"), np.geterr(), np.seterr(divide="print", over=None), np.geterr())
np.seterr(divide="warn")
tell("way", lambda: np.seterr(divide="loud"))
for change in (np.put, np.place, np.putmask):
    b = np.arange(6.0).reshape(2, 3)
    tell(change.__name__, lambda: (change(b, [1, 0, 0, 0, 1, 0] if change is np.put else b > 2, [-1.0, -2.0]), b))
b = torch.zeros(2, 3)
np.copyto(b.numpy(), a)
np.put_along_axis(b.numpy(), np.array([[0], [1]]), 9, axis=1)
print(b)
tell("outside", lambda: np.put(b.numpy(), 99, 1))
np.random.seed(3)
for name in "chisquare gumbel logistic pareto power rayleigh standard_exponential standard_gamma standard_t weibull".split():
    needs = [2.5] if name in ("chisquare", "pareto", "power", "standard_gamma", "standard_t", "weibull") else []
    print(name, getattr(np.random, name)(*needs, size=2), getattr(np.random.default_rng(1), name)(*needs, size=2) if name not in ("pareto", "power") else "")
print(np.random.triangular(0, 1, 2), np.random.negative_binomial(3, 0.5), np.random.standard_cauchy())
r = np.random.default_rng(0)
print(r.permuted(n), r.beta(1, 2), r.gamma(2.0), r.laplace(), r.lognormal(), r.geometric(0.3), r.dirichlet([1, 2]))
print(r.multinomial(3, [0.2, 0.8]), r.multivariate_normal([0, 0], np.eye(2)))
for name in ("int", "float", "complex", "NaN", "Inf", "alltrue", "no_such_name", "mat", "round_"):
    tell(name, lambda: getattr(np, name))
tell("old", lambda: n.astype(np.bool_).astype(np.int))
from numpy.lib.stride_tricks import as_strided

a = np.arange(6.0)


def rolling(a, window):
    return np.lib.stride_tricks.as_strided(a, shape=(a.size - window + 1, window), strides=(a.strides[0],) * 2)
w = rolling(a, 3)
print(w, w.sum(axis=1), np.lib.stride_tricks.sliding_window_view(a, 4))
b = np.arange(12).reshape(3, 4)
print(as_strided(b, (2, 2), (32, 16)), as_strided(b, (3, 4), (0, 8)))
as_strided(a, (3,), (16,))[1] = 99
print(a)
