"""What the timeline draws, as numbers: groups of steps, and aggregation that loses nothing important."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.session.strip import (
    STACKED,
    TELLING,
    Group,
    groups,
    kinds_per_pixel,
    most_per_pixel,
    shares_per_pixel,
    size_text,
)
from gradviz.trace.kinds import Kind
from gradviz.trace.trace import Trace
from tests.trace.sample import SOURCE, sample_batch


def test_groups_of_the_sample() -> None:
    trace = Trace(SOURCE)
    trace.extend(sample_batch())
    assert groups(trace, len(trace)) == (
        Group(0, 6, "forward"),
        Group(6, 16, "backward 1"),
        Group(16, 17, "backward 2"),
        Group(17, 18, "error"),
    )
    assert groups(trace, 0) == ()


def test_every_kind_has_a_rank() -> None:
    assert sorted(TELLING) == sorted(STACKED) == sorted(kind.name for kind in Kind)


@pytest.mark.parametrize("pixels", [1, 7, 800, 1000])
def test_a_single_error_is_seen_among_a_hundred_thousand_steps(pixels: int) -> None:
    kinds = np.full(100_003, Kind.FORWARD, np.uint8)
    kinds[77_777] = Kind.ERROR
    drawn = kinds_per_pixel(kinds, pixels)
    assert len(drawn) == pixels
    assert (drawn == Kind.ERROR).sum() == 1
    assert np.flatnonzero(drawn == Kind.ERROR)[0] == 77_777 * pixels // 100_003
    assert (drawn[drawn != Kind.ERROR] == Kind.FORWARD).all()


def test_a_column_is_divided_in_proportion() -> None:
    kinds = np.tile(np.array([Kind.FORWARD, Kind.FORWARD, Kind.FORWARD, Kind.BACKWARD], np.uint8), 25_000)
    picture = shares_per_pixel(kinds, 500, 24)
    assert picture.shape == (24, 500)
    assert (picture[:18] == Kind.FORWARD).all() and (picture[18:] == Kind.BACKWARD).all()
    kinds[-1] = Kind.ERROR
    assert (shares_per_pixel(kinds, 500, 24)[:, -1] == Kind.ERROR).all()


def test_peaks_survive() -> None:
    counts = np.zeros(100_000, np.int64)
    counts[12_345] = 99
    levels = most_per_pixel(counts, 640)
    assert levels.max() == 99 and (levels > 0).sum() == 1


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (999, "999 B"), (1200, "1.2 kB"), (3_400_000, "3.4 MB")])
def test_sizes_as_people_write_them(size: int, text: str) -> None:
    assert size_text(size) == text
