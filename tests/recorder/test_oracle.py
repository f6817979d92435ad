"""Our engine beside real PyTorch, event by event: what each backward pass ran, in which order, which gradients were
sent, which buffers freed, what arrived and what was stored. PyTorch's side was recorded by `record_events`. Where the
two differ, `differences.json` says so, each with its reason or that it was not examined; nothing else may differ."""

from __future__ import annotations

import contextlib
import io
import json
import lzma
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import gradviz.torch as torch
from gradviz.trace.table.recording import load
from tests.recorder.events import events
from tests.recorder.record_events import GOLDEN, key, programs
from tests.trace.running import run

CLOSE = 2e-3  # of the norms, which are written with four digits
DIFFERENCES = json.loads((Path(__file__).parent / "differences.json").read_text(encoding="utf-8"))
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?$")


@cache
def recorded() -> dict[str, list[str] | None]:
    """What PyTorch did, by program."""
    found: dict[str, list[str] | None] = json.loads(lzma.decompress(GOLDEN.read_bytes()))
    return found


def agree(ours: list[str], theirs: list[str]) -> bool:
    """Whether the events are the same, but for the last digit of a norm."""
    return len(ours) == len(theirs) and all(map(_same, ours, theirs))


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    ours, theirs = one.split(), other.split()
    return len(ours) == len(theirs) and all(map(_close, ours, theirs))


def _close(one: str, other: str) -> bool:
    if one == other:
        return True
    if not (_NUMBER.match(one) and _NUMBER.match(other)):
        return False
    a, b = float(one), float(other)
    return abs(a - b) <= CLOSE * max(abs(a), abs(b)) + 1e-6


def found(path: Path) -> list[str]:
    """The events of our engine; what draws plots needs a worker."""
    if "import matplotlib" in (text := path.read_text(encoding="utf-8")):
        command = [sys.executable, "-m", "gradviz", "run", "--record", "run.gvtrace", str(path)]
        subprocess.run(command, check=True, capture_output=True)
        return events(load(Path("run.gvtrace")).trace)
    modes = torch.is_grad_enabled(), torch.is_anomaly_enabled(), torch.get_default_dtype()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return events(run(text))
    finally:  # what a program leaves on is not for the next one
        torch.set_grad_enabled(modes[0])
        torch.autograd.set_detect_anomaly(modes[1])
        torch.set_default_dtype(modes[2])


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the programs save their weights."""
    monkeypatch.chdir(tmp_path)


COMPARED = [path for path in programs() if recorded().get(key(path)) and key(path) not in DIFFERENCES]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_backward_passes_are_those_of_pytorch(part: int) -> None:
    wrong = [key(path) for path in COMPARED[part::16] if not agree(found(path), recorded()[key(path)] or [])]
    assert wrong == []


def test_most_programs_are_compared_and_each_difference_has_a_reason() -> None:
    known = {key(path) for path in programs()}
    assert set(DIFFERENCES) <= known and all(DIFFERENCES.values())
    assert len(COMPARED) >= 262


@pytest.mark.parametrize(
    ("theirs", "same"),
    [("ran MulBackward0 1.001", True), ("ran MulBackward0 1.1", False), ("ran AddBackward0 1", False), ("ran", False)],
)
def test_what_agrees(theirs: str, same: bool) -> None:
    assert agree(["ran MulBackward0 1"], [theirs]) is same
