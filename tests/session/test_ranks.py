"""The table of a job's ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.document.errors import UserError
from gradviz.document.files import recordings
from gradviz.session.comparison.ranks import Rank, ranks, table
from gradviz.trace.table.recording import About, Ending
from tests.trace.running import run

FSDP = Path(__file__).parents[1] / "recorder" / "fsdp2"  # two ranks, recorded under PyTorch 2.13

TRAINING = """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr={rate})
for i in range(4):
    loss = (w * w).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def job(folder: Path, rates: dict[int, float]) -> Path:
    """A folder with recordings of these ranks, each with a learning rate of its own."""
    for number, rate in rates.items():
        source = TRAINING.format(rate=rate)
        about = About(source, "train.py", "GradViz", "", number, len(rates))
        ending = Ending("raised" if number == 10 else "ok")
        recordings.write(folder / f"rank{number}.gvtrace", run(source), about, ending)
    return folder


def test_each_rank_is_a_row_in_their_order(tmp_path: Path) -> None:
    rows = list(ranks(job(tmp_path, {0: 0.25, 2: 0.0, 10: 1e30})))
    first, second, last = rows
    assert [row.number for row in rows] == [0, 2, 10] and {row.updates for row in rows} == {4}
    assert first.loss == pytest.approx(5 / 64) and first.gradient == pytest.approx(2 * (5 / 64) ** 0.5)
    assert second.loss == 5 and second.gradient == pytest.approx(2 * 5**0.5)
    assert (first.not_finite, first.end, last.end) == (None, "ok", "raised")
    trace = recordings.read(tmp_path / "rank10.gvtrace").trace
    assert last.not_finite is not None
    assert "inf" in str(
        trace.frame(last.not_finite)
        .trace.value(int(trace.tensors.value[trace.steps.tensor[last.not_finite - 1]]))
        .array
    )
    assert first.held == int(recordings.read(tmp_path / "rank0.gvtrace").trace.held_bytes.max()) > 0


def test_a_job_that_shards_its_parameters() -> None:
    rows = list(ranks(FSDP))
    assert [(row.number, row.steps, row.updates, row.end) for row in rows] == [(0, 227, 3, "ok"), (1, 227, 3, "ok")]
    assert all(row.loss is not None and row.gradient is not None for row in rows) and rows[0].loss != rows[1].loss


def test_a_rank_that_was_killed_says_so(tmp_path: Path) -> None:
    path = job(tmp_path, {0: 0.25}) / "rank0.gvtrace"
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    assert [row.end for row in ranks(tmp_path)] == ["killed"]
    path.write_bytes(b"no recording")
    with pytest.raises(UserError, match=r"rank0\.gvtrace can't be opened"):
        list(ranks(tmp_path))
    assert list(ranks(tmp_path / "nothing")) == []


def test_the_table_as_text() -> None:
    whole = Rank(0, 1234, 4, 0.078125, 0.559, 24_000, 33, "ok")
    said = table([whole, replace(whole, number=11, loss=None, gradient=None, not_finite=None, end="killed")])
    assert said.splitlines() == [
        "rank  steps  updates     loss  own gradient norm  held at most  not finite     end",
        "   0  1,234        4  0.07812              0.559       24.0 kB     step 33      ok",
        "  11  1,234        4        –                  –       24.0 kB           –  killed",
    ]
