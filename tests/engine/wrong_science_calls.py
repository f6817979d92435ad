"""Wrong calls of `torch.linalg`, `torch.fft`, `torch.special` and `torch.signal`, for `wrong_calls.py`."""

from __future__ import annotations

from typing import Any

from tests.engine.wrong_calls import Calls


def linear_algebra(torch: Any) -> Calls:
    a = torch.tensor([[1.0, 2], [2, 4]])
    b = torch.stack([torch.eye(2), a])
    r = torch.ones(2, 3)
    linalg = torch.linalg
    return {
        "linalg_inv": lambda: linalg.inv(a),
        "linalg_invb": lambda: linalg.inv(b),
        "linalg_invex": lambda: linalg.inv_ex(a, check_errors=True),
        "linalg_solve": lambda: linalg.solve(a, a),
        "linalg_solveb": lambda: linalg.solve(b, b),
        "linalg_solveex": lambda: linalg.solve_ex(b, b, check_errors=True),
        "linalg_chol": lambda: linalg.cholesky(-b),
        "linalg_chol0": lambda: torch.cholesky(-a),
        "linalg_cholex": lambda: linalg.cholesky_ex(-a, check_errors=True),
        "linalg_luf": lambda: linalg.lu_factor(b),
        "linalg_lufex": lambda: linalg.lu_factor_ex(a, check_errors=True),
        "linalg_lu0": lambda: linalg.lu_factor(a),
        "linalg_i1": lambda: linalg.inv(r),
        "linalg_i2": lambda: linalg.inv(a[0]),
        "linalg_i3": lambda: linalg.inv(a.long()),
        "linalg_i4": lambda: linalg.inv(a.half()),
        "linalg_s1": lambda: linalg.solve(r, r),
        "linalg_s2": lambda: linalg.solve(a, torch.ones(3)),
        "linalg_s3": lambda: linalg.solve(a, torch.ones(3, 2)),
        "linalg_s4": lambda: linalg.solve(a, a.double()),
        "linalg_s5": lambda: linalg.solve(a.long(), a.long()),
        "linalg_s6": lambda: torch.inverse(r),
        "linalg_s7": lambda: linalg.solve(a, a[0], left=False),
        "linalg_s8": lambda: linalg.solve(a, r, left=False),
        "linalg_d1": lambda: torch.det(r),
        "linalg_d2": lambda: torch.det(a[0]),
        "linalg_d3": lambda: torch.det(a.long()),
        "linalg_d4": lambda: torch.slogdet(r),
        "linalg_d5": lambda: torch.logdet(r),
        "linalg_q1": lambda: linalg.qr(a[0]),
        "linalg_q2": lambda: linalg.qr(a, "x"),
        "linalg_q3": lambda: linalg.qr(a.long()),
        "linalg_v1": lambda: linalg.svd(a[0]),
        "linalg_v2": lambda: linalg.svd(a.long()),
        "linalg_v3": lambda: linalg.svd(a, driver="gesvd"),
        "linalg_v5": lambda: linalg.svdvals(a[0]),
        "linalg_e1": lambda: linalg.eig(r),
        "linalg_e2": lambda: linalg.eigh(r),
        "linalg_e3": lambda: linalg.eigh(a, "X"),
        "linalg_e4": lambda: linalg.eig(a.long()),
        "linalg_e5": lambda: linalg.eig(a * float("nan")),
        "linalg_e7": lambda: linalg.eigvalsh(r),
        "linalg_v4": lambda: linalg.svd(a * float("nan")),
        "linalg_c1": lambda: linalg.cholesky(r),
        "linalg_m1": lambda: linalg.matrix_power(r, 2),
        "linalg_m2": lambda: linalg.matrix_power(a, -1),
        "linalg_m3": lambda: linalg.matrix_power(a, 1.5),
        "linalg_x1": lambda: linalg.matrix_exp(r),
        "linalg_x2": lambda: linalg.matrix_exp(a.long()),
        "linalg_t1": lambda: linalg.solve_triangular(r, r, upper=True),
        "linalg_t2": lambda: linalg.solve_triangular(a, torch.ones(3, 2), upper=True),
        "linalg_lu1": lambda: linalg.lu_factor(a[0]),
        "linalg_lu2": lambda: linalg.lu(a, pivot=False),
        "linalg_lu3": lambda: linalg.lu_factor(a, pivot=False),
        "linalg_lus": lambda: linalg.lu_solve(a, torch.tensor([1, 2]), a),
        "linalg_hh": lambda: linalg.householder_product(r, torch.ones(2)),
        "linalg_hh2": lambda: linalg.householder_product(r.T, torch.ones(3)),
        "linalg_lst": lambda: linalg.lstsq(a[0], a),
        "linalg_lst2": lambda: linalg.lstsq(a, r.T),
        "linalg_lst3": lambda: linalg.lstsq(a, a, driver="x"),
        "linalg_lst4": lambda: linalg.lstsq(a, a.double()),
        "linalg_ti": lambda: linalg.tensorinv(r),
        "linalg_ti2": lambda: linalg.tensorinv(r, 0),
        "linalg_ts": lambda: linalg.tensorsolve(r, r),
        "linalg_md": lambda: linalg.multi_dot([a]),
        "linalg_md2": lambda: linalg.multi_dot([a, r.T]),
        "linalg_md3": lambda: linalg.multi_dot([]),
        "linalg_md4": lambda: linalg.multi_dot([a, a[0], a]),
        "linalg_vd": lambda: linalg.vecdot(a, r),
        "linalg_mr": lambda: linalg.matrix_rank(a[0]),
        "linalg_co": lambda: linalg.cond(r, 1),
        "linalg_co2": lambda: linalg.cond(a, "x"),
        "linalg_pi": lambda: linalg.pinv(a[0]),
        "linalg_mn": lambda: linalg.matrix_norm(a[0]),
        "linalg_mn2": lambda: linalg.matrix_norm(a, 3),
        "linalg_mn3": lambda: linalg.matrix_norm(a, "x"),
        "linalg_mn4": lambda: linalg.matrix_norm(a, dim=(0,)),
        "linalg_mn5": lambda: linalg.norm(b, "fro"),
        "linalg_mn6": lambda: linalg.norm(a, "nuc", dim=0),
        "linalg_mn7": lambda: linalg.matrix_norm(a, dim=(0, 0)),
        "linalg_mn8": lambda: linalg.matrix_norm(a.long()),
        "linalg_vn0": lambda: linalg.vector_norm(a.long()),
        "linalg_ci": lambda: torch.cholesky_inverse(r),
        "linalg_cs": lambda: torch.cholesky_solve(r, r),
        "linalg_cs2": lambda: torch.cholesky_solve(torch.ones(3, 1), a),
        "linalg_gq": lambda: torch.geqrf(a[0]),
        "linalg_lu9": lambda: torch.lu(a[0]),
        "linalg_lup": lambda: torch.lu_unpack(a, torch.tensor([1, 2])),
        "linalg_ev": lambda: linalg.eigvals(r),
        "linalg_vn": lambda: linalg.vander(torch.ones(3), N=1),
        "linalg_pl": lambda: torch.pca_lowrank(a, q=5),
        "linalg_ldl": lambda: linalg.ldl_factor(r),
        "linalg_ldls": lambda: linalg.ldl_solve(r, torch.tensor([1, 2]), r),
        "linalg_ts2": lambda: torch.triangular_solve(a, r),
        "linalg_orm": lambda: torch.ormqr(a, torch.ones(2), torch.ones(3, 3)),
    }


def transforms(torch: Any) -> Calls:
    a = torch.tensor([[1.0, 2], [2, 4]])
    z = torch.complex(a, a)
    zz = torch.ones(2, 5, 11, dtype=torch.complex64)
    x = torch.arange(12.0)
    fft = torch.fft
    return {
        "transform_f1": lambda: fft.fft(a, 0),
        "transform_f2": lambda: fft.fft(a, dim=5),
        "transform_f3": lambda: fft.fft(torch.tensor(1.0)),
        "transform_f4": lambda: fft.fft(a, norm="x"),
        "transform_f5": lambda: fft.rfft(z),
        "transform_f6": lambda: fft.fft(a.half()),
        "transform_f7": lambda: fft.fftn(a, dim=(0, 0)),
        "transform_f8": lambda: fft.fftn(a, s=(2, 2, 2)),
        "transform_f9": lambda: fft.fftn(a, s=(2,), dim=(0, 1)),
        "transform_f10": lambda: fft.irfft(z[:, :1]),
        "transform_f11": lambda: fft.ihfft(z),
        "transform_f12": lambda: fft.rfftn(z),
        "transform_f13": lambda: fft.rfft2(a[0]),
        "transform_f14": lambda: fft.ihfftn(z),
        "transform_f15": lambda: fft.fftn(a, s=(0, 2)),
        "transform_f16": lambda: fft.fft2(a[0]),
        "transform_f17": lambda: fft.fftshift(a, 3),
        "transform_f21": lambda: fft.rfftn(a, dim=()),
        "transform_f22": lambda: fft.hfft2(z, dim=(0,)),
        "transform_f23": lambda: fft.irfft2(z, s=(2, 0)),
        "transform_st1": lambda: torch.stft(x, 4),
        "transform_st2": lambda: torch.stft(x, 80, return_complex=True),
        "transform_st3": lambda: torch.stft(x, 8, 0, return_complex=True),
        "transform_st4": lambda: torch.stft(x, 8, win_length=9, return_complex=True),
        "transform_st5": lambda: torch.stft(x, 8, window=torch.ones(5), return_complex=True),
        "transform_st6": lambda: torch.stft(x.view(1, 1, 12), 8, return_complex=True),
        "transform_st7": lambda: torch.stft(x.long(), 8, return_complex=True),
        "transform_st8": lambda: torch.stft(zz[0, 0], 4, onesided=True),
        "transform_st9": lambda: torch.stft(x, 100, return_complex=True, center=False),
        "transform_st10": lambda: torch.stft(x, 8, return_complex=True, pad_mode="x"),
        "transform_st11": lambda: torch.stft(x.double(), 8, 1, -1, return_complex=True, normalized=True, onesided=True),
        "transform_is1": lambda: torch.istft(x, 8),
        "transform_is2": lambda: torch.istft(zz[:, :4], 8),
        "transform_is3": lambda: torch.istft(zz, 8, window=torch.ones(3)),
        "transform_is4": lambda: torch.istft(zz, 8, win_length=9),
        "transform_is5": lambda: torch.istft(zz, 8, hop_length=9),
        "transform_is6": lambda: torch.istft(zz, 8, center=False, window=torch.hann_window(8)),
        "transform_is7": lambda: torch.istft(zz[:, :, :0], 8),
        "transform_is8": lambda: torch.istft(zz, 8, onesided=True, return_complex=True),
        "transform_is9": lambda: torch.istft(zz[0, 0], 8),
        "transform_is10": lambda: torch.istft(zz[None], 8),
        "transform_is11": lambda: torch.istft(zz, 8, window=torch.ones(8, dtype=torch.complex64)),
        "transform_is12": lambda: torch.istft(zz, 8, onesided=False),
    }


def windows(torch: Any) -> Calls:
    windows = torch.signal.windows
    return {
        "window_w1": lambda: torch.hann_window(-1),
        "window_w2": lambda: torch.hann_window(4, dtype=torch.int64),
        "window_w3": lambda: torch.hann_window(4.5),
        "window_w4": lambda: torch.kaiser_window(5, dtype=torch.complex64),
        "window_w5": lambda: windows.hann(-1),
        "window_w6": lambda: windows.kaiser(5, beta=-1),
        "window_w7": lambda: windows.gaussian(5, std=0),
        "window_w8": lambda: windows.exponential(5, center=1),
        "window_w9": lambda: windows.exponential(5, tau=0),
        "window_w10": lambda: windows.general_cosine(5, a=[]),
        "window_w11": lambda: windows.general_cosine(5, a=1),
        "window_w12": lambda: windows.hann(5, dtype=torch.float16),
        "window_w13": lambda: windows.hann(),
        "window_w14": lambda: windows.hann(3, 4),
        "window_w15": lambda: windows.hann(3, x=1),
        "window_w16": lambda: windows.general_cosine(3),
    }


def special_functions(torch: Any) -> Calls:
    x = torch.arange(12.0)
    z = torch.complex(x, x)
    special = torch.special
    return {
        "special_p1": lambda: special.polygamma(-1, x),
        "special_p2": lambda: torch.mvlgamma(x, 0),
        "special_p3": lambda: special.entr(z),
        "special_p4": lambda: special.i0(z),
        "special_p5": lambda: special.zeta(2, 3),
        "special_p6": lambda: special.xlog1py(x, x.to(torch.complex64)),
        "special_p7": lambda: torch.igamma(x.long(), x.long()),
        "special_p8": lambda: special.erfcx(x.half()),
        "special_p9": lambda: special.zeta(x.bfloat16(), x.bfloat16()),
        "special_p11": lambda: x.long().i0_(),
        "special_p12": lambda: special.chebyshev_polynomial_t(x.half(), 2),
        "special_p13": lambda: torch.polygamma(x, 2),
        "special_p15": lambda: torch.mvlgamma(x, 1.5),
        "special_p16": lambda: torch.igamma(x, 2.0),
        "special_p17": lambda: special.chebyshev_polynomial_t(2.0, 3.0),
        "special_p19": lambda: special.multigammaln(x, 0),
        "special_p21": lambda: torch.i0(2.0),
    }


SCIENCE_CALLS = (linear_algebra, transforms, windows, special_functions)
