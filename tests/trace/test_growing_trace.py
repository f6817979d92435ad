"""A trace as it is now, while the trace itself grows on."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np

from gradviz.trace.record.recorder import Recorder
from gradviz.trace.table.encoding import joined
from gradviz.trace.table.schema import NEVER, Batch
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


EVERYTHING = """import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
rnn, out = nn.RNN(1, 2, batch_first=True), nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.BatchNorm1d(2))
optimizer = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=0.1)
state = None
for step in range(2):
    found, state = rnn(torch.randn(4, 2, 1), state)
    state = state.detach()
    state.mul_(0.5)
    p = out(found[:, -1].squeeze(0).unsqueeze_(0).squeeze_(0))
    p.register_hook(lambda grad: grad * 2)
    p.retain_grad()
    loss = (torch.stack([p, p.clamp(min=0)]) ** 2).mean() + checkpoint(torch.sin, p, use_reentrant=False).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    nn.utils.clip_grad_norm_(rnn.parameters(), 1.0)
    optimizer.step()
    print(loss.item())
x = torch.ones(3, requires_grad=True)
y = x.clone()
y[0] *= 2
y.view(3)[1:].add_(1)
(g,) = torch.autograd.grad((y ** 3).sum(), x, create_graph=True)
(torch.ones(3) @ torch.ones(3, 2, requires_grad=True)).sum().backward()
torch.func.vmap(lambda row: row * g)(torch.ones(2, 3)).sum().backward()
"""


def test_a_batch_taken_between_any_two_lines_of_code_leaves_the_trace_as_it_is() -> None:
    """As the worker's clock takes them: wherever the recorder says that it is not busy."""
    batches: list[Batch] = []

    def take(recorder: Recorder) -> None:
        def trace(frame: FrameType, event: str, argument: object) -> Any:
            if "gradviz" in frame.f_code.co_filename and not recorder.busy and (parts := recorder.take_parts()):
                batches.append(joined(parts))
            return trace

        sys.settrace(trace)

    before = sys.gettrace()
    try:
        batches += record(EVERYTHING, turns=take)
    finally:
        sys.settrace(before)
    piecemeal = Trace(EVERYTHING)
    for batch in batches:
        piecemeal.extend(batch)
    whole = run(EVERYTHING)
    assert len(batches) > len(whole) / 2
    assert trace_json(piecemeal) == trace_json(whole)
