import torch


def tried(name, owner, *args, **kwargs):
    try:
        print(name, getattr(owner, name)(*args, **kwargs))
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


u = torch.tensor([0.25, -0.5, 0.75])
v = torch.tensor([1.25, 2.5, 3.75])
w = torch.tensor([0.5, 2.5, 4.0])
m = torch.arange(6.0).reshape(2, 3)
i = torch.tensor([12, 7, 5])
j = torch.tensor([2, 3, 1])
for owner, first in ((torch, True), (u, False)):
    for name in "absolute arccos arcsin arcsinh arctan arctanh sgn conj_physical is_conj is_neg is_signed".split():
        tried(name, owner, *([u] if first else []))
for owner, first in ((torch, True), (v, False)):
    for name in """arccosh argwhere msort nanmean""".split():
        tried(name, owner, *([v] if first else []))
    for name in """divide true_divide floor_divide float_power greater greater_equal less less_equal not_equal subtract arctan2 ger
        inner is_same_size ldexp""".split():
        tried(name, owner, *([v] if first else []), w)
for owner, first in ((torch, True), (i, False)):
    for name in "bitwise_left_shift bitwise_right_shift lcm gcd".split():
        tried(name, owner, *([i] if first else []), j)
    tried("bitwise_not", owner, *([i] if first else []))
for owner, first in ((torch, True), (m, False)):
    tried("flipud", owner, *([m] if first else []))
    tried("moveaxis", owner, *([m] if first else []), 0, 1)
    tried("swapdims", owner, *([m] if first else []), 0, 1)
    tried("histc", owner, *([m] if first else []), bins=3, min=0, max=6)
tried("dsplit", torch, torch.arange(8.0).reshape(2, 2, 2), 2)
tried("dsplit", torch.arange(8.0).reshape(2, 2, 2), 2)
for name in "byte char ndimension nelement get_device to_dense".split():
    tried(name, v)
print(v.new_empty(2).shape, v.new_full((2,), 7.0), v.new_ones(2), m.reshape_as(torch.ones(3, 2)), v.type_as(i))
print(v.share_memory_() is v)
print(torch.atleast_1d(torch.tensor(1.0)), torch.atleast_1d(torch.tensor(1.0), torch.ones(2)))
print(torch.bucketize(torch.tensor([3, 6, 9]), torch.tensor([1, 3, 5, 7, 9])))
print(torch.bucketize(torch.tensor([3, 6, 9]), torch.tensor([1, 3, 5, 7, 9]), right=True))
print(torch.can_cast(torch.double, torch.float), torch.can_cast(torch.float, torch.int))
print(torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([4, 5])))
print(torch.combinations(torch.tensor([1, 2, 3])), torch.combinations(torch.tensor([1, 2]), 2, True))
print(torch.chain_matmul(torch.eye(2), torch.ones(2, 3), torch.ones(3, 1)))
print(torch.concatenate([u, v]), torch.row_stack([u, v]), torch.constant_pad_nd(u, (1, 1), 9.0))
print(torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2])), torch.is_tensor(u), torch.is_tensor(1))
print(torch.full_like(u, 3), torch.randint_like(u, 5).shape, torch.trapz(v), torch.trapz(v, w))
print(torch.tril_indices(2, 3), torch.triu_indices(3, 3, 1), torch.tril_indices(3, 3, -1))
print(torch.get_default_device())
print(torch.bartlett_window(4), torch.blackman_window(4), torch.hamming_window(4), torch.kaiser_window(4))
print(torch.pdist(m), torch.nn.functional.pdist(m), torch.norm_except_dim(m, 2, 0))
print(torch.feature_dropout(m, 0.0, True), torch.linalg.LinAlgError.__name__)
s = torch.special
print(s.expit(u), s.gammaln(v), s.psi(v), s.gammainc(v, w), s.gammaincc(v, w))
for name in """shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
    shifted_chebyshev_polynomial_w""".split():
    print(name, getattr(s, name)(u.abs(), torch.tensor([0, 1, 3])))
for name in "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w".split():
    print(name, getattr(s, name)(u, torch.tensor([0, 1, 3])))


f = torch.fft
print(
    f.ifft2(torch.ones(2, 2)),
    f.hfftn(torch.ones(2, 3, dtype=torch.complex64)),
    f.ihfftn(torch.arange(8.0).reshape(2, 4)).shape,
)
F = torch.nn.functional
image = torch.arange(16.0).reshape(1, 1, 4, 4)
print(F.max_pool1d_with_indices(image[0], 2), F.max_pool2d_with_indices(image, 2))
print(F.max_pool3d_with_indices(image[None], (1, 2, 2)))
print(torch.view_as_complex_copy(torch.ones(2, 2)), torch.is_warn_always_enabled())
x = torch.arange(4.0, requires_grad=True)
y = x.resize(2, 2)
y.sum().backward()
print(y.shape, x.grad, x.detach().t().resize(4, 1), torch.torch is torch, torch.nn.functional.torch.ones(1))
print(torch.has_mps, torch.has_cuda, torch.has_cudnn, torch.has_mkldnn, torch.has_lapack, torch.has_openmp, torch.has_mkl)
torch.set_default_device("cpu")
print(torch.ones(1).device, v.clone().ldexp_(torch.tensor([1, 2, 3])), torch.ldexp_(v.clone(), torch.tensor([1, 2, 3])))
tried("pin_memory", v)
