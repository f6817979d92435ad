"""What is drawn of a whole trace is made once for each length, and beforehand where the trace is long."""

from __future__ import annotations

from gradviz.session.timeline.marks import Mark
from gradviz.session.timeline.outline import outline, precompute
from gradviz.trace.table.trace import Trace
from tests.trace.sample import SOURCE, sample_batch


def sample_trace() -> Trace:
    trace = Trace(SOURCE)
    trace.extend(sample_batch())
    return trace


def test_made_once_for_each_length() -> None:
    trace = sample_trace()
    whole, half = outline(trace, len(trace)), outline(trace, 6)
    assert outline(trace, len(trace)) is whole and outline(trace, 6) is half
    assert (whole.strip.steps, half.strip.steps) == (len(trace), 6)
    assert len(whole.marks[Mark.ERROR]) == 1 and not len(half.marks[Mark.ERROR])


def test_what_is_ripe_is_what_is_drawn() -> None:
    trace = sample_trace()
    precompute(trace)
    strip = outline(trace, len(trace)).strip
    assert {"_added", "_most_held", "peak", "phases"} <= vars(strip).keys()
    assert strip.peak == outline(sample_trace(), len(trace)).strip.peak


def test_another_trace_has_another() -> None:
    trace = sample_trace()
    before = outline(trace, len(trace))
    longer = sample_trace()
    assert outline(trace.as_now(), len(trace)) is not before and outline(longer, len(longer)) is not before
