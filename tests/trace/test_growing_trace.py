"""A trace as it is now, while the trace itself grows on."""

from __future__ import annotations

import numpy as np

from gradviz.trace.table.schema import NEVER
from gradviz.trace.table.trace import Trace
from gradviz.trace.words.jsonable import trace_json
from tests.trace.running import record, run

SOURCE = """import torch
w = torch.tensor([1., 2.], requires_grad=True)
for t in range(2):
    y = (w * w).sum()
    y.backward()
z = w.exp()
z.sum().backward()
"""


def test_what_was_shown_stays_as_it_was_while_the_trace_grows() -> None:
    trace, shown = Trace(SOURCE), []
    for batch in record(SOURCE, every=1):
        trace.extend(batch)
        shown.append((trace.as_now(), trace_json(trace)))
    for part, told in shown:
        assert part.run is trace.run
        assert trace_json(part) == told
        assert len(part.held_bytes) == len(part) + 1
    assert run(SOURCE).run is not trace.run


def test_what_later_batches_write_into_earlier_rows_is_not_seen() -> None:
    trace = Trace(SOURCE)
    batches = list(record(SOURCE, every=1))
    for batch in batches[:-1]:
        trace.extend(batch)
    before = trace.as_now()
    trace.extend(batches[-1])
    assert (before.saved.freed == NEVER).sum() > 0
    assert np.count_nonzero(trace.saved.freed == NEVER) == 0
    assert before.held_bytes[len(before)] > 0
