"""The table of a job's ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.document.errors import UserError
from gradviz.document.files import recordings
from gradviz.session.comparison.ranks import TITLES, Exchange, Rank, cells, ranks, table, waits
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
    assert [(row.number, row.steps, row.updates, row.end) for row in rows] == [(0, 149, 3, "ok"), (1, 149, 3, "ok")]
    assert all(row.loss is not None and row.gradient is not None for row in rows) and rows[0].loss != rows[1].loss


def test_a_rank_that_was_killed_says_so(tmp_path: Path) -> None:
    path = job(tmp_path, {0: 0.25}) / "rank0.gvtrace"
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    assert [row.end for row in ranks(tmp_path)] == ["killed"]
    path.write_bytes(b"no recording")
    with pytest.raises(UserError, match=r"rank0\.gvtrace can't be opened"):
        list(ranks(tmp_path))
    assert list(ranks(tmp_path / "nothing")) == []


def test_memory_that_nobody_has_written_to_has_no_first_nan() -> None:
    """FSDP takes the memory of whole parameters before it gathers them; what is in it until then means nothing."""
    assert [row.not_finite for row in ranks(FSDP)] == [None, None]


def test_times_are_those_of_the_job() -> None:
    rows = list(ranks(FSDP))
    waited = waits(rows)
    assert all(row.pace is not None and 0 < row.pace < 60 for row in rows) and len(rows[0].exchanges) > 3
    assert all(seconds is not None and 0 <= seconds < 60 for seconds in waited) and max(filter(None, waited)) > 0


BEGIN = [Exchange("broadcast", 100.0, 0), Exchange("all_reduce", 110.0, 1), Exchange("all_reduce", 120.0, 2)]


def late(number: int, *seconds: float, names: str = "") -> Rank:
    """A rank that comes later than the first to these exchanges."""
    came = (Exchange(each.name + names, each.came + s, each.updates) for each, s in zip(BEGIN, seconds, strict=False))
    return Rank(number, 9, 3, None, None, 0, None, "ok", exchanges=tuple(came))


@pytest.mark.parametrize(
    ("rows", "waited"),
    [
        ([late(0, 0, 0, 0), late(1, 50, 2, 3)], [2.5, 0.0]),  # the start of the job is not counted
        ([late(0, 0, 5, 1), late(1, 50, 2, 3), late(2, 0, 0, 0)], [1.0, 1.5, 4.0]),
        ([late(0, 0), late(1, 4)], [4.0, 0.0]),  # but where there is nothing else
        ([late(0, 0, 0, 0), late(1, 50, 2)], [2.0, 0.0]),  # the second was killed
        ([late(0, 0, 0, 0), late(1, 0, 0, 0, names="d")], [None, None]),
        ([late(0, 0, 0, 0), late(1, 0, 1e300, 0)], [None, None]),
        ([late(0, 0, 0, 0)], [None]),
        ([late(0), late(1)], [None, None]),
    ],
)
def test_a_rank_waits_for_those_that_come_later(rows: list[Rank], waited: list[float | None]) -> None:
    assert waits(rows) == waited


def test_the_table_as_text() -> None:
    whole = Rank(0, 1234, 4, 0.078125, 0.559, 24_000, 33, "ok", 0.25)
    said = table([whole, replace(whole, number=11, loss=None, gradient=None, not_finite=None, end="killed", pace=None)])
    assert said.splitlines() == [
        "rank  steps  updates     loss  own gradient norm  held at most  first NaN or inf  time per update  "
        "waits per update     end",
        "   0  1,234        4  0.07812              0.559       24.0 kB           step 33         250.0 ms  "
        "               –      ok",
        "  11  1,234        4        –                  –       24.0 kB                 –                –  "
        "               –  killed",
    ]
    assert cells(whole, 90.0)[TITLES.index("waits per update")] == "90.0 s"
