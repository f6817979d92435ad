"""What is drawn of a whole trace is made once for each length, and beforehand where the trace is long."""

from __future__ import annotations

import pytest

from gradviz.session.timeline.marks import Mark
from gradviz.session.timeline.outline import outline, precompute
from gradviz.trace.table.naming import Naming
from gradviz.trace.table.trace import Trace
from tests.trace.running import run
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


def test_the_names_of_the_latest_graph_are_told_apart_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = run("import torch\nw = torch.ones(2, requires_grad=True)\nprint((((w * 2) * 2) * 2).sum())\n")
    precompute(trace)
    monkeypatch.delattr(Naming, "names_at_end")  # which goes through the whole graph
    end = trace.frame(len(trace))
    results = [number for number in range(len(trace.tensors)) if trace.tensors.producer[number] >= 0]
    assert len(results) == 4
    assert len({end.name(number) for number in results}) == 4


def test_another_trace_has_another() -> None:
    trace = sample_trace()
    before = outline(trace, len(trace))
    longer = sample_trace()
    assert outline(trace.as_now(), len(trace)) is not before and outline(longer, len(longer)) is not before
