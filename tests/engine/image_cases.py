"""The table in `op_cases.py`, continued: images sampled at places, pools that begin at random, packed sequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.engine.op_cases import Row, X, constant, real

IMAGE = real(1, 2, 4, 4)
VOLUME = real(1, 1, 3, 3, 3)


def sampled(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            yield (
                f"grid_sample_{mode}_{padding}",
                lambda x, g, mode=mode, padding=padding: F.grid_sample(x, g * 1.3, mode, padding, False),
                IMAGE,
                real(1, 3, 2, 2),
            )
    yield "grid_sample_corners", lambda x, g: F.grid_sample(x, g, align_corners=True), IMAGE, real(1, 2, 3, 2)
    yield "grid_sample_constant", lambda x, g: F.grid_sample(x, g, align_corners=False), IMAGE, constant(1, 2, 3, 2)
    yield (
        "grid_sample_volume",
        lambda x, g: F.grid_sample(x, g, "bilinear", "reflection", False),
        VOLUME,
        real(1, 2, 2, 2, 3),
    )
    yield "affine_grid", lambda m: F.affine_grid(m, (2, 1, 3, 2), align_corners=False), real(2, 2, 3)
    yield "affine_grid_volume", lambda m: F.affine_grid(m, (1, 1, 2, 1, 3), align_corners=True), real(1, 3, 4)
    yield (
        "spatial_transformer",
        lambda x, m: F.grid_sample(x, F.affine_grid(m, (1, 2, 3, 3), align_corners=False), align_corners=False),
        IMAGE,
        real(1, 2, 3),
    )


def random_pools(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional

    def pooled(n: int, **given: Any) -> Any:
        def run(x: Any) -> Any:
            torch.manual_seed(0)
            return getattr(F, f"fractional_max_pool{n}d")(x, 2, **given)

        return run

    yield "fractional_max_pool2d", pooled(2, output_size=3), IMAGE
    yield "fractional_max_pool2d_ratio", pooled(2, output_ratio=(0.5, 0.8), return_indices=True), IMAGE
    yield "fractional_max_pool3d", pooled(3, output_size=(2, 1, 2)), real(1, 1, 4, 3, 4)


def sequences(torch: Any) -> Iterator[Row]:
    rnn = torch.nn.utils.rnn
    yield "pack_padded", lambda x: rnn.pack_padded_sequence(x, [3, 1]).data, real(3, 2, 2)
    yield "pack_unsorted", lambda x: rnn.pack_padded_sequence(x, [1, 3], True, False).data, real(2, 3, 2)
    yield (
        "pad_packed",
        lambda x: rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [3, 2]), total_length=4)[0],
        real(3, 2, 2),
    )
    yield "pad_sequence", lambda x, y: rnn.pad_sequence([x, y], True, -1.0, "left"), real(3, 2), real(1, 2)


def norms_and_losses(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "native_layer_norm", lambda x, w: torch.native_layer_norm(x, (3,), w, None, 1e-5)[0], X, real(3)
    yield "native_group_norm", lambda x: torch.native_group_norm(x, None, None, 1, 4, 3, 2, 1e-5), real(1, 4, 3)
    yield (
        "native_batch_norm",
        lambda x, w: torch.native_batch_norm(x, w, None, None, None, True, 0.1, 1e-5)[0],
        real(3, 2),
        real(2),
    )
    for p in (0, 1, 2, 3.5, float("inf")):
        yield f"pdist_{p}", lambda x, p=p: F.pdist(x, p), real(4, 3)
    yield (
        "linear_cross_entropy",
        lambda x, w, b: F.linear_cross_entropy(x, w, torch.tensor([1, 0]), linear_bias=b),
        X,
        real(4, 3),
        real(4),
    )
    yield "avg_pool_of_nan", lambda x: F.avg_pool1d((x - 0.2).sqrt(), 2, 1), real(1, 1, 5)
    yield (
        "max_pool_dilated",
        lambda x: F.max_pool2d(x, (2, 3), 2, (1, 1), (2, 1), True, True)[0],
        IMAGE,
    )


IMAGE_TABLES = (sampled, random_pools, sequences, norms_and_losses)
