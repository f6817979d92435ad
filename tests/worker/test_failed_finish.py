"""The end of a recording that can't be written, through a mistake of ours or because there is no memory left: the run
ends as the snippet ended, all that it printed is there, one sentence says what is missing, and the trace opens."""

from __future__ import annotations

import sys

import pytest

from gradviz.trace.table import schema
from gradviz.trace.table.trace import Trace
from gradviz.worker.process.events import Event
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.run import Request, Run
from gradviz.worker.process.worker_process import WorkerProcess
from tests.worker.conftest import PATIENCE, Outcome
from tests.worker.hostile import ROOT

TRAINING = """
import torch
torch.manual_seed(0)
net, x = torch.nn.Linear(3, 1), torch.randn(8, 3)
optimizer = torch.optim.Adam(net.parameters())
for i in range(9):
    optimizer.zero_grad()
    net(x).square().mean().backward()
    optimizer.step()
    print(i)
print("the last line")
"""
BREAKS = {
    "all that has changed": "Gaps._write_changes = broken",
    "what optimizers remember": "Gaps._write_remembered = without_memory",
    "a gradient": "Writes.grad_changed = lambda self, *given: (broken if self._rows.in_gap else changed)(self, *given)",
}
_WORKER = """
import sys
sys.path.insert(0, {root!r})
from gradviz.trace.record.gaps import Gaps
from gradviz.trace.record.forward import Writes
from gradviz.worker.main import main
changed = Writes.grad_changed
def broken(*given):
    raise KeyError(3)
def without_memory(*given):
    raise MemoryError
{breaks}
main()
"""


def run_with(breaks: str, source: str) -> Outcome:
    """A run of which the first iterations are recorded, in a worker where writing what has changed since fails."""
    worker = WorkerProcess(Limits(), command=[sys.executable, "-c", _WORKER.format(root=str(ROOT), breaks=breaks)])
    events: list[Event] = []
    run = Run(source, "snippet.py", Limits(), events.append, how=Request(iterations="first:3"))
    run.attach(worker, 1)
    done = run.wait(PATIENCE)
    worker.kill()
    worker.join()
    run.join()
    assert done is not None
    return Outcome(done, tuple(events))


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.parametrize(("last", "status"), [("", "ok"), ("1 / 0", "raised")], ids=["ok", "raised"])
def test_a_run_ends_as_the_snippet_ended(name: str, last: str, status: str) -> None:
    outcome = run_with(BREAKS[name], TRAINING + last)
    assert outcome.status == status, outcome.sentence
    assert outcome.printed().endswith("7\n8\nthe last line\n")
    said = outcome.printed("err")
    assert said.count("Recording ends here: what changed") == 1 and said.count("\n") == 1
    trace = Trace(TRAINING + last)
    for batch in outcome.batches:
        trace.extend(schema.Batch(batch.header, batch.payload))
    assert len(trace) > 30 and len(trace.gaps) == 1
    trace.as_now()
    trace.frame(len(trace))
