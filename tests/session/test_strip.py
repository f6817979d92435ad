"""What the timeline draws, as numbers: at any zoom each pixel says what its steps are; nothing important is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.lists import size_text
from gradviz.session.timeline.outline import STACKED, Group, Strip
from gradviz.session.timeline.zoom import LEAST, Span, whole
from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.trace import Trace
from tests.trace.sample import SOURCE, sample_batch


def trace_of(kinds: np.ndarray) -> Trace:
    """Steps of these kinds, of which nothing else is known."""
    out = Writer()
    text = out.text("x")
    out.add("texts", 0, text, text)
    for _ in range(len(kinds)):
        out.add("steps", Kind.PRINT, -1, -1, -1, -1, 0)
    trace = Trace()
    trace.extend(out.take())
    trace.steps.kind[:] = kinds
    return trace


def sample_strip() -> Strip:
    trace = Trace(SOURCE)
    trace.extend(sample_batch())
    return Strip(trace, len(trace))


def test_phases_of_the_sample() -> None:
    phases = sample_strip().phases
    assert [phases[place] for place in range(len(phases))] == [
        Group(0, 6, "forward"),
        Group(6, 16, "backward 1"),
        Group(16, 17, "backward 2"),
        Group(17, 18, "error"),
    ]
    assert phases.in_view(Span(0, 18)) == (0, 4)
    assert phases.in_view(Span(6, 16)) == (1, 2)
    assert phases.in_view(Span(5.5, 6.5)) == (0, 2)
    assert phases.at(15).title == "backward 1" and phases.calls(0, 4) == 2


def test_what_is_only_printed_is_no_forward_pass() -> None:
    kinds = np.full(6, Kind.PRINT, np.uint8)
    kinds[:3] = Kind.FORWARD, Kind.PRINT, Kind.OPTIMIZER
    kinds[4] = Kind.WARNING
    phases = Strip(trace_of(kinds), len(kinds)).phases
    titles = ["forward", "optimizer", "output"]
    assert [phases[place].title for place in range(len(phases))] == titles and phases[2] == Group(3, 6, "output")


def test_every_kind_has_a_place() -> None:
    assert sorted(STACKED) == sorted(kind.name for kind in Kind)


@pytest.mark.parametrize("columns", [1, 7, 400, 1000])
def test_a_single_error_is_seen_among_many_steps(columns: int) -> None:
    kinds = np.full(100_003, Kind.FORWARD, np.uint8)
    kinds[77_777] = Kind.ERROR
    drawn = Strip(trace_of(kinds), len(kinds)).picture(whole(len(kinds)), columns, 5)
    assert drawn.shape == (5, columns)
    at = np.flatnonzero((drawn == Kind.ERROR).all(axis=0))
    assert len(at) == 1 and abs(int(at[0]) - 77_777 * columns // 100_003) <= 1
    assert (np.delete(drawn, at, axis=1) == Kind.FORWARD).all()


@pytest.mark.parametrize("span", [Span(0, 100_000), Span(1000, 5000), Span(333.3, 777.7)])
def test_a_column_is_divided_in_proportion(span: Span) -> None:
    kinds = np.tile(np.array([Kind.FORWARD, Kind.FORWARD, Kind.FORWARD, Kind.BACKWARD], np.uint8), 25_000)
    picture = Strip(trace_of(kinds), len(kinds)).picture(span, 50, 24)
    share = (picture == Kind.BACKWARD).mean()
    assert 0.2 < share < 0.3
    assert (picture[0] == Kind.FORWARD).mean() > 0.9 and (picture[-1] == Kind.BACKWARD).mean() > 0.9


def test_closer_than_a_pixel_per_step_each_step_has_its_own_columns() -> None:
    kinds = np.arange(100, dtype=np.uint8) % len(Kind)
    picture = Strip(trace_of(kinds), 100).picture(Span(10, 20), 100, 3)
    assert (picture[0] == np.repeat(kinds[10:20], 10)).all()


@pytest.mark.parametrize("span", [Span(0, 100_000), Span(12_000, 13_000), Span(12_340, 12_350)])
def test_peaks_survive(span: Span) -> None:
    strip = Strip(trace_of(np.zeros(100_000, np.uint8)), 100_000)
    held = np.zeros(100_000, np.int64)
    held[12_345] = 99
    strip.__dict__["held"] = held
    levels = strip.levels(span, min(640, int(span.width)))
    assert levels.max() == 99 and (levels > 0).sum() <= 2
    assert strip.peak == (99, 12_346)


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (999, "999 B"), (1200, "1.2 kB"), (3_400_000, "3.4 MB")])
def test_sizes_as_people_write_them(size: int, text: str) -> None:
    assert size_text(size) == text


spans = st.tuples(st.floats(-50, 1500), st.floats(0.001, 1500)).map(lambda two: Span(two[0], two[0] + two[1]))


@given(spans, st.integers(1, 1000), st.floats(0.01, 100), st.floats(0, 1))
def test_a_span_never_leaves_the_trace(span: Span, steps: int, factor: float, share: float) -> None:
    inside = span.inside(steps)
    at = inside.start + share * inside.width
    for made in (
        inside,
        inside.zoomed(factor, at, steps),
        inside.moved(factor * 10, steps),
        inside.following(at, steps),
    ):
        assert -1e-6 <= made.start <= made.end <= steps + 1e-6
    assert inside.zoomed(1e-9, at, steps).width >= min(LEAST, steps) - 1e-6


def test_a_zoom_keeps_the_step_under_the_pointer() -> None:
    closer = whole(1000).zoomed(0.5, 250, 1000)
    assert closer == Span(125, 625)
    assert closer.zoomed(2, 250, 1000) == Span(0, 1000)
    assert whole(1000).is_whole(1000) and not closer.is_whole(1000)


def test_the_span_follows_the_cursor() -> None:
    span = Span(100, 200)
    assert span.following(150, 1000) == span
    assert span.following(300, 1000).end >= 300 and span.following(300, 1000).width == 100
    assert span.following(0, 1000).start == 0
