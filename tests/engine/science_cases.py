"""Cases of `op_cases.py` for what scientific programs use: Fourier transforms, windows, special functions and linear
algebra beyond products."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from tests.engine.op_cases import P, Row, U, X, constant, index, probability, real


def fourier(torch: Any) -> Iterator[Row]:
    def number(x: Any) -> Any:
        return torch.view_as_complex(x)

    yield "fft", lambda x: torch.fft.fft(x), real(2, 5)
    yield "fft_complex", lambda x: torch.fft.fft(number(x), norm="ortho"), real(4, 2)
    yield "fft_longer", lambda x: torch.fft.fft(x, 6, 0), real(4, 2)
    yield "ifft", lambda x: torch.fft.ifft(number(x), dim=0, norm="forward"), real(3, 2, 2)
    yield "ifft_real", lambda x: torch.fft.ifft(x), real(5)
    yield "rfft", lambda x: torch.fft.rfft(x), real(2, 5)
    yield "rfft_shorter", lambda x: torch.fft.rfft(x, 4), real(2, 5)
    yield "irfft", lambda x: torch.fft.irfft(number(x)), real(3, 2)
    yield "irfft_odd", lambda x: torch.fft.irfft(number(x), 5), real(2, 3, 2)
    yield "hfft", lambda x: torch.fft.hfft(number(x), 6), real(4, 2)
    yield "ihfft", lambda x: torch.fft.ihfft(x), real(2, 5)
    yield "fft2", lambda x: torch.fft.fft2(x), real(2, 3, 2)
    yield "rfft2", lambda x: torch.fft.rfft2(x, norm="ortho"), real(2, 3, 4)
    yield "irfft2", lambda x: torch.fft.irfft2(number(x), (3, 4)), real(3, 3, 2)
    yield "hfft2", lambda x: torch.fft.hfft2(number(x)), real(3, 3, 2)
    yield "ihfft2", lambda x: torch.fft.ihfft2(x), real(3, 4)
    yield "fftn", lambda x: torch.fft.fftn(number(x), dim=(0, 2)), real(2, 3, 3, 2)
    yield "ifftn", lambda x: torch.fft.ifftn(x), real(2, 3)
    yield "rfftn_cut", lambda x: torch.fft.rfftn(x, (2, 6)), real(3, 4)
    yield "irfftn", lambda x: torch.fft.irfftn(number(x), dim=(0, 1)), real(2, 3, 2)
    yield (
        "convolution_by_fft",
        lambda x, y: torch.fft.irfft(torch.fft.rfft(x, 8) * torch.fft.rfft(y, 8), 8),
        *(real(5),) * 2,
    )
    yield "fftshift", lambda x: torch.fft.fftshift(x), real(2, 5)
    yield "ifftshift", lambda x: torch.fft.ifftshift(x, 1), real(2, 5)
    yield "fftfreq", lambda c: torch.fft.fftfreq(5, 0.25, dtype=c.dtype), constant(1)
    yield "rfftfreq", lambda c: torch.fft.rfftfreq(6, 0.5, dtype=c.dtype), constant(1)


def of_absolute(function: Any) -> Any:
    return lambda c: function(c.abs())


def of_degree(function: Any, degree: int, c: Any) -> Any:
    return function(c, degree)


def special(torch: Any) -> Iterator[Row]:
    special = torch.special
    C = constant(2, 3)
    for name in (
        "bessel_j0",
        "bessel_j1",
        "modified_bessel_i0",
        "modified_bessel_i1",
        "spherical_bessel_j0",
        "airy_ai",
    ):
        yield name, getattr(special, name), C
    for name in ("bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1"):
        yield name, of_absolute(getattr(special, name)), C
    for name in ("scaled_modified_bessel_k0", "scaled_modified_bessel_k1"):
        yield name, of_absolute(getattr(special, name)), C
    for name in ("i0", "i0e", "i1", "i1e", "erfcx", "ndtr"):
        yield name, getattr(special, name), X
    yield "log_ndtr", lambda x: special.log_ndtr(2 * x - 1), X
    yield "entr", special.entr, P
    yield "ndtri", special.ndtri, probability(2, 3)
    for n in range(4):
        yield f"polygamma_{n}", lambda x, n=n: torch.polygamma(n, x), P
    yield "polygamma_in_place", lambda x: (x * 1).polygamma_(2), P
    yield "mvlgamma", lambda x: torch.mvlgamma(x + 2, 3), P
    yield "multigammaln", lambda x: special.multigammaln(x + 2, 2), P
    yield "igamma", lambda c, x: torch.igamma(c.abs() + 0.1, x), C, P
    yield "igammac", lambda c, x: torch.igammac(c.abs() + 0.1, x), C, P
    yield "xlog1py", special.xlog1py, X, U
    yield "xlog1py_number", lambda x: special.xlog1py(x, 0.5), X
    yield "xlog1py_of_number", lambda x: special.xlog1py(2, x), U
    yield "zeta", lambda c, x: special.zeta(c.abs() + 2, x), C, P
    yield "zeta_number", lambda c: special.zeta(c.abs() + 2, 1.5), C
    yield "zeta_of_number", lambda x: special.zeta(3, x), P
    degrees = index(12, 2, 3)
    for name in ("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"):
        yield name, getattr(special, name), C, degrees
        yield f"{name}_number", functools.partial(of_degree, getattr(special, name), 4), C
        yield f"{name}_of_number", functools.partial(getattr(special, name), 0.5), degrees
    for kind in "tuvw":
        for name in (f"chebyshev_polynomial_{kind}", f"shifted_chebyshev_polynomial_{kind}"):
            yield name, getattr(special, name), C, degrees
            yield f"{name}_number", functools.partial(of_degree, getattr(special, name), 4), C
            yield f"{name}_of_number", functools.partial(getattr(special, name), 0.5), degrees


def signals(torch: Any) -> Iterator[Row]:
    C = constant(1)
    for name in ("hann", "hamming", "bartlett", "blackman", "kaiser"):
        yield f"{name}_window", functools.partial(_window, getattr(torch, f"{name}_window"), 6), C
        yield f"{name}_window_symmetric", functools.partial(_window, getattr(torch, f"{name}_window"), 5, False), C
    windows = torch.signal.windows
    for name in ("hann", "hamming", "bartlett", "blackman", "kaiser", "cosine", "gaussian", "exponential", "nuttall"):
        yield f"signal_{name}", functools.partial(_window, getattr(windows, name), 6, requires_grad=True), C
        yield f"signal_{name}_periodic", functools.partial(_window, getattr(windows, name), 5, sym=False), C
    yield "signal_general_cosine", lambda c: windows.general_cosine(5, a=[0.6, 0.3, 0.1], dtype=c.dtype), C
    yield "signal_general_hamming", lambda c: windows.general_hamming(5, alpha=0.6, dtype=c.dtype), C

    def window(x: Any, n: int) -> Any:
        return torch.hann_window(n, dtype=x.dtype)

    yield "stft", lambda x: torch.stft(x, 6, window=window(x, 6), return_complex=True), real(12)
    yield "stft_batch", lambda x: torch.stft(x, 6, 2, 4, window(x, 4), normalized=True, return_complex=True), real(2, 9)
    yield "stft_pairs", lambda x: torch.stft(x, 4, center=False, onesided=False, return_complex=False), real(9)
    yield "stft_window", lambda x, w: torch.stft(x, 6, 2, 4, w, return_complex=True), real(9), real(4)

    def back(x: Any, n: int, **options: Any) -> Any:
        return torch.istft(torch.view_as_complex(x), n, 2, window=window(x, n), **options)

    yield "istft", lambda x: back(x, 4), real(3, 6, 2)
    yield "istft_length", lambda x: back(x, 4, length=7, normalized=True), real(2, 3, 6, 2)
    yield "istft_twosided", lambda x: back(x, 4, onesided=False), real(4, 6, 2)
    yield "istft_complex", lambda x: back(x, 4, onesided=False, return_complex=True), real(4, 6, 2)
    yield "unfold_overlapping", lambda x: x.unfold(1, 3, 2), real(2, 7)


def _window(make: Any, count: int, *more: Any, **options: Any) -> Any:
    return make(count, *more[:-1], dtype=more[-1].dtype, **options)


def systems(torch: Any) -> Iterator[Row]:
    linalg = torch.linalg
    A, B = real(3, 3), real(3, 2)
    yield "linalg_det_batch", lambda x: linalg.det(x), real(2, 3, 3)
    yield "linalg_slogdet_batch", lambda x: linalg.slogdet(x), real(2, 3, 3)
    yield "linalg_det_complex", lambda x: linalg.det(torch.view_as_complex(x)), real(2, 2, 2)
    yield "linalg_slogdet_complex", lambda x: linalg.slogdet(torch.view_as_complex(x)), real(2, 2, 2)
    yield "logdet_complex", lambda x: torch.logdet(torch.view_as_complex(x)), real(2, 2, 2)
    yield "inv_ex", lambda x: linalg.inv_ex(x), A
    yield "inv_ex_singular", lambda c: linalg.inv_ex(c * 0)[1], constant(2, 2)
    yield "linalg_solve_right", lambda x, y: linalg.solve(x, y, left=False), A, real(2, 3)
    yield "linalg_solve_vectors", lambda x, y: linalg.solve(x, y), real(2, 3, 3), real(2, 3)
    yield "solve_ex", lambda x, y: linalg.solve_ex(x, y), A, B
    yield "solve_triangular_right", lambda x, y: linalg.solve_triangular(x, y, upper=False, left=False), A, real(2, 3)
    yield "solve_triangular_unit", lambda x, y: linalg.solve_triangular(x, y, upper=True, unitriangular=True), A, B
    yield "triangular_solve", lambda x, y: torch.triangular_solve(y, x), A, B
    yield "triangular_solve_turned", lambda x, y: torch.triangular_solve(y, x, upper=False, transpose=True), A, B

    def positive(x: Any) -> Any:
        return x @ x.mT + 2 * torch.eye(3, dtype=x.dtype)

    yield "cholesky_ex", lambda x: linalg.cholesky_ex(positive(x)), A
    yield "cholesky_upper", lambda x: linalg.cholesky(positive(x), upper=True), A
    yield "cholesky_old", lambda x: torch.cholesky(positive(x)), A
    yield "cholesky_old_upper", lambda x: torch.cholesky(positive(x), upper=True), A
    yield "cholesky_solve", lambda x, y: torch.cholesky_solve(y, x), A, B
    yield "cholesky_solve_upper", lambda x, y: torch.cholesky_solve(y, x, upper=True), A, B
    yield "cholesky_inverse", lambda x: torch.cholesky_inverse(x), A
    yield "cholesky_inverse_upper", lambda x: torch.cholesky_inverse(x, upper=True), A
    yield "ldl_factor", lambda c: linalg.ldl_factor(c + c.mT), constant(4, 4)
    yield "ldl_factor_ex", lambda c: linalg.ldl_factor_ex(c + c.mT), constant(2, 3, 3)
    yield "ldl_solve", lambda c, d: linalg.ldl_solve(*linalg.ldl_factor(c + c.mT), d), constant(4, 4), constant(4, 2)


def factorisations(torch: Any) -> Iterator[Row]:
    linalg = torch.linalg
    for name, shape in (("", (3, 3)), ("_wide", (2, 3)), ("_tall", (3, 2)), ("_batch", (2, 2, 2))):
        yield f"lu_factor{name}", lambda x: linalg.lu_factor(x), real(*shape)
        yield f"linalg_lu{name}", lambda x: linalg.lu(x), real(*shape)
        yield f"lu_unpack{name}", lambda x: torch.lu_unpack(*linalg.lu_factor(x)), real(*shape)
        yield f"linalg_qr{name}", lambda x: linalg.qr(x), real(*shape)
    yield "linalg_qr_complex", lambda x: linalg.qr(torch.view_as_complex(x))[1].abs(), real(3, 2, 2)
    yield "lu_factor_ex", lambda x: linalg.lu_factor_ex(x), real(3, 3)
    yield "lu_old", lambda x: torch.lu(x), real(3, 3)
    yield "lu_old_infos", lambda x: x.lu(get_infos=True), real(3, 3)
    for left in (True, False):
        for adjoint in (True, False):
            options = {"left": left, "adjoint": adjoint}
            name = f"lu_solve_{'left' if left else 'right'}{'_adjoint' if adjoint else ''}"
            feeds = real(3, 3), real(*((3, 2) if left else (2, 3)))
            yield name, functools.partial(_lu_solved, torch, options), *feeds
    yield "lu_solve_old", lambda x, y: torch.lu_solve(y, *linalg.lu_factor(x)), real(3, 3), real(3, 2)
    yield "geqrf", lambda c: torch.geqrf(c), constant(4, 3)
    yield "householder_product", lambda x, t: linalg.householder_product(x, t), real(4, 3), real(2)
    yield "orgqr", lambda x, t: torch.orgqr(x, t), real(2, 3, 2), real(2, 2)
    for left in (True, False):
        for transpose in (True, False):
            options = {"left": left, "transpose": transpose}
            name = f"ormqr_{'left' if left else 'right'}{'_transposed' if transpose else ''}"
            other = real(*((4, 2) if left else (2, 4)))
            yield name, functools.partial(_ormqr, torch, options), real(4, 2), real(2), other
    yield "svd_tall", lambda x: [part.abs() for part in linalg.svd(x, full_matrices=False)], real(4, 2)
    for shape in ((2, 3), (3, 6), (4, 9), (4, 3), (7, 5), (6, 3), (5, 4), (4, 5)):  # the vectors with their signs
        yield f"svd_{shape[0]}x{shape[1]}", lambda c: linalg.svd(c.double(), full_matrices=False), constant(*shape)
    yield "svd_whole", lambda c: linalg.svd(c.double()), constant(3, 6)
    yield "svd_complex", lambda x: linalg.svdvals(torch.view_as_complex(x)), real(3, 2, 2)
    yield "eigvals", lambda x: linalg.eigvals(x).abs().sum(), real(3, 3)
    yield "eig_product", lambda x: _matrix_again(*linalg.eig(x.double())), real(3, 3)
    yield "eigh_product", lambda x: _matrix_again(*linalg.eigh((x + x.mT).double())), real(3, 3)


def _lu_solved(torch: Any, options: Any, x: Any, y: Any) -> Any:
    return torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y, **options)


def _ormqr(torch: Any, options: Any, x: Any, t: Any, y: Any) -> Any:
    return torch.ormqr(x, t, y, **options)


def _matrix_again(values: Any, vectors: Any) -> Any:
    """A number that does not depend on the phase of the eigenvectors."""
    return (vectors.abs() * (values * values).abs().unsqueeze(-2)).sum(-1)


def functions_of_matrices(torch: Any) -> Iterator[Row]:
    linalg = torch.linalg
    A = real(3, 3)
    for ord in (1, -1, 2, -2, float("inf"), float("-inf"), "nuc", "fro"):
        name = str(ord).replace("-", "minus_")
        yield f"matrix_norm_{name}", functools.partial(_normed, linalg, ord, False), real(2, 3, 2)
        yield f"matrix_norm_kept_{name}", functools.partial(_normed, linalg, ord, True), real(2, 3, 2)
        if ord != "nuc":
            yield f"cond_{name}", functools.partial(_conditioned, linalg, ord), constant(3, 3)
    yield "cond", lambda x: linalg.cond(x), A
    yield "matrix_rank", lambda c: linalg.matrix_rank(c[:, None] * c), constant(3)
    yield "matrix_rank_tolerance", lambda c: linalg.matrix_rank(c, atol=1.5), constant(3, 3)
    for name, shape in (("", (3, 3)), ("_wide", (2, 3)), ("_tall", (3, 2))):
        yield f"linalg_pinv{name}", lambda x: linalg.pinv(x), real(*shape)
    yield "pinverse", lambda x: torch.pinverse(x), real(3, 2)
    yield "pinv_hermitian", lambda x: linalg.pinv(x + x.mT, hermitian=True), A
    yield "lstsq", lambda x, y: linalg.lstsq(x, y), real(4, 2), real(4, 3)
    yield "lstsq_vector", lambda x, y: linalg.lstsq(x, y)[0], real(4, 2), real(4)
    yield "lstsq_wide", lambda x, y: linalg.lstsq(x, y, driver="gelsd"), real(2, 4), real(2, 3)
    for n in (-2, -1, 0, 1, 2, 5):
        yield f"matrix_power_{n}", functools.partial(_power, linalg, n), A
    yield "matrix_exp", lambda x: torch.matrix_exp(x), real(2, 2, 2)
    yield "multi_dot_2", lambda x, y: linalg.multi_dot([x, y]), real(3), real(3, 2)
    yield "multi_dot_4", lambda a, b, c: linalg.multi_dot([a, b, c, a]), real(2, 3), real(3, 4), real(4, 2)
    yield "vecdot", lambda x, y: linalg.vecdot(x, y, dim=0), real(2, 3), real(2, 3)
    yield "vecdot_vectors", lambda x, y: linalg.vecdot(x, y), real(3), real(3)
    yield "linalg_vander", lambda x: linalg.vander(x), real(2, 3)
    yield "tensorinv", lambda x: linalg.tensorinv(x, 1), real(6, 2, 3)
    yield "tensorsolve", lambda x, y: linalg.tensorsolve(x, y), real(2, 3, 6), real(2, 3)
    yield "svd_lowrank", lambda x: _sizes(torch, torch.svd_lowrank, x, q=2), real(5, 4)
    yield "pca_lowrank", lambda x: _sizes(torch, torch.pca_lowrank, x, q=2), real(4, 5)


def _normed(linalg: Any, ord: Any, keepdim: bool, x: Any) -> Any:
    return linalg.matrix_norm(x, ord, keepdim=keepdim)


def _conditioned(linalg: Any, p: Any, x: Any) -> Any:
    return linalg.cond(x, p)


def _power(linalg: Any, n: int, x: Any) -> Any:
    return linalg.matrix_power(x, n)


def _sizes(torch: Any, function: Any, x: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    return [part.abs() for part in function(x, **options)]


def products_added(torch: Any) -> Iterator[Row]:
    A, B, V = real(2, 3), real(3, 2), real(3)
    yield "addmm_in_place", lambda x, a, b: (x * 1).addmm_(a, b, beta=0.5, alpha=2), real(2, 2), A, B
    yield "addmv_in_place", lambda x, a, v: (x * 1).addmv_(a, v), real(2), A, V
    yield "addr_in_place", lambda x, v, w: (x * 1).addr_(v, w, alpha=-1), real(3, 2), V, real(2)
    yield "addbmm_in_place", lambda x, a, b: (x * 1).addbmm_(a, b), real(2, 2), real(2, 2, 3), real(2, 3, 2)
    yield "baddbmm_in_place", lambda x, a, b: (x * 1).baddbmm_(a, b), real(2, 2, 2), real(2, 2, 3), real(2, 3, 2)
    yield "addmm_complex_alpha", lambda x, a, b: _complex_addmm(torch, x, a, b), real(2, 2, 2), real(2, 3, 2), B
    yield "mm_bfloat16", lambda a, b: (a.bfloat16() @ b.bfloat16()).sum(0), A, B
    yield "mm_half", lambda a, b: (a.half() @ b.half()).sum(0), A, B
    yield "matmul_vector_batch", lambda v, x: v @ x, V, real(2, 3, 2)
    yield "matmul_matrix_batch", lambda a, x: a @ x, A, real(2, 3, 2)
    yield "matmul_matrix_batch_constant", lambda c, x: c @ x, constant(2, 3), real(2, 3, 2)
    yield "matmul_batch_vector", lambda x, c: x.mT @ c, real(2, 3, 2), constant(3)
    yield "cross_default", lambda x, y: torch.cross(x, y), real(3, 2), real(3, 2)
    yield "cumprod_complex", lambda x: torch.view_as_complex(x).cumprod(0), real(3, 2, 2)
    yield "norm_half", lambda x: (40 * x).half().norm(), real(40, 50)


def _complex_addmm(torch: Any, x: Any, a: Any, b: Any) -> Any:
    number = torch.view_as_complex
    return torch.addmm(number(x), number(a), torch.complex(b, b), beta=1j, alpha=2 - 1j)


def correlations(torch: Any) -> Iterator[Row]:
    X = real(3, 4)
    yield "cov", lambda x: torch.cov(x), X
    yield "cov_vector", lambda x: torch.cov(x, correction=0), real(5)
    yield "cov_frequencies", lambda x, f: torch.cov(x, fweights=f + 1), X, index(3, 4)
    yield "cov_weights", lambda x, w: torch.cov(x, aweights=w), X, probability(4)
    yield (
        "cov_both",
        lambda x, f, w: torch.cov(x, fweights=f + 1, aweights=w, correction=2),
        X,
        index(3, 4),
        probability(4),
    )
    yield "corrcoef", lambda x: torch.corrcoef(x), X
    yield "corrcoef_complex", lambda x: torch.corrcoef(torch.view_as_complex(x)), real(2, 4, 2)


SCIENCE_TABLES = (
    *(fourier, special, signals, systems, factorisations, functions_of_matrices, products_added),
    correlations,
)
