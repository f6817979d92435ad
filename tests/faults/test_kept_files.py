"""What is kept on disk is the old or the new one, whole: killed at every step of writing it, on a disk that is full at
every step, with a clock that was set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradviz.document import disk
from gradviz.document.disk import Stamp, write_atomically
from gradviz.document.documents import Contents
from gradviz.document.errors import UserError
from gradviz.document.files import opening
from gradviz.document.snippet import Snippet
from tests.faults.kept_files import KEPT
from tests.faults.steps import Steps, no_room

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="fork is a matter of POSIX")
QUIET = ("the first own file", "one more own file", "a long list of own files")  # what is lost there does no harm
YEAR = 365 * 24 * 3600.0


@posix
def test_killed_at_every_step_of_writing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.faults.kept_files", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    counts = json.loads(done.stdout)
    assert list(counts) == list(KEPT)
    for name, (steps, old, new, beside) in counts.items():
        assert steps > 3 and old > 0 and new > 0 and old + new == steps, name
        assert beside > 0 or name == "one more own file", f"{name}: no step is between"


@pytest.mark.parametrize("name", KEPT)
def test_a_full_disk_at_every_step_of_writing(name: str, tmp_path: Path) -> None:
    kept = KEPT[name]
    fatal, refused, is_over = 0, 0, False
    while not is_over:
        place = tmp_path / str(fatal)
        place.mkdir()
        kept.before(place)
        steps = Steps(fatal, no_room)
        with steps.watched():
            try:
                kept.write(place)
            except UserError as error:
                refused += 1
                assert "no space left on device" in str(error), str(error)
        is_over = len(steps.done) <= fatal
        assert kept.found(place) in kept.states, f"{name}: half of it at {steps.done[-1]}"
        half = [entry.name for entry in place.iterdir() if entry.name.endswith(disk.TEMPORARY)]
        assert not half or steps.done[fatal] == "unlink", f"{half} is left after {steps.done}"
        kept.write(place)  # there is room again
        assert kept.found(place) == kept.states[1]
        fatal += 1
    assert refused > 3 or name in QUIET


@pytest.mark.parametrize("now", [-YEAR, YEAR])
def test_a_clock_that_was_set_loses_nothing(now: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.gradviz"
    opening.save(path, Contents(Snippet("old = 1\n")))
    stamp = Stamp.of(path, path.read_bytes())
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + now)
    assert stamp.now()[0] == "same"
    os.utime(path, (clock() + now, clock() + now))
    assert stamp.now()[0] == "same", "the content counts"
    opening.save(path, Contents(Snippet("new = 2\n")))
    assert stamp.now()[0] == "changed"
    assert opening.load(path).document == Snippet("new = 2\n")


def test_what_was_left_before_the_clock_was_set_back_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "net.gradviz"
    left, young = (tmp_path / f".net.gradviz.{name}{disk.TEMPORARY}" for name in ("left", "young"))
    for one, moment in ((left, time.time() + YEAR), (young, time.time() + 5)):
        one.write_bytes(b"half")
        os.utime(one, (moment, moment))
    write_atomically(path, b"new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([young.name, path.name])
