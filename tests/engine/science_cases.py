"""Cases of `op_cases.py` for what scientific programs use: Fourier transforms, windows, special functions and linear
algebra beyond products."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.engine.op_cases import Row, constant, real


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


SCIENCE_TABLES = (fourier,)
