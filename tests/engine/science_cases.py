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


SCIENCE_TABLES = (fourier, special, signals)
