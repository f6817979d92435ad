"""Where the system lets no worker start, a run ends with a sentence, and the next one is tried again. What a killed
program left in the folder for temporary files is removed later."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.worker.process import worker_process
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Done, Event


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    one = WorkerPool()
    yield one
    one.close()


@pytest.mark.parametrize("step", ["mkdtemp", "start"])
def test_no_room_for_a_worker_is_a_sentence(
    pool: WorkerPool, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # where no other program makes folders
    monkeypatch.setattr(worker_process.tempfile if step == "mkdtemp" else worker_process, step, fail)
    events: list[Event] = []
    pool.warm()
    run = pool.start("x = 1\n", events.append)
    assert run.wait(0) is events[0]
    assert isinstance(events[0], Done)
    assert events[0].status == "died"
    why = "no temporary file can be made; make room on the disk, or set TMPDIR"
    assert (why if step == "mkdtemp" else "No space left on device") in events[0].detail.sentence
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    done = pool.start("x = 1\n", events.append).wait(30)
    assert done is not None and done.status == "ok"


def test_old_empty_scratch_folders_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process.tempfile, "gettempdir", lambda: str(tmp_path))
    old = ["gradviz-abcd_123", "gradviz-full0000", "gradviz-tests-ab", "another-abcd1234"]
    for name in [*old, "gradviz-young000"]:
        (tmp_path / name).mkdir()
    (tmp_path / "gradviz-full0000" / "kept").write_text("")
    (tmp_path / "gradviz-file0000").write_text("")
    (tmp_path / "gradviz-link0000").symlink_to(tmp_path / "another-abcd1234")
    for name in [*old, "gradviz-file0000"]:
        os.utime(tmp_path / name, (1e9, 1e9))
    worker_process.remove_forgotten()
    left = {"gradviz-full0000", "gradviz-tests-ab", "another-abcd1234"}
    left |= {"gradviz-young000", "gradviz-file0000", "gradviz-link0000"}
    assert {entry.name for entry in tmp_path.iterdir()} == left
    monkeypatch.setattr(worker_process.time, "time", lambda: 1e8)
    os.utime(tmp_path / "gradviz-young000", (1e9, 1e9))
    worker_process.remove_forgotten()
    assert (tmp_path / "gradviz-young000").exists(), "the clock was set back"
