"""What a worker tries when its locks are closed: it finds what is open, and only that."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import NoReturn

import pytest

from gradviz.worker.locks import trial
from gradviz.worker.process.client import WorkerPool
from tests.worker.conftest import Runner
from tests.worker.kernel_attempts import HAS_KERNEL_LOCKS, NEEDS_LOCKS, tried
from tests.worker.test_oslock import NO_LANDLOCK, NO_SECCOMP


def refuse(*given: object) -> NoReturn:
    raise PermissionError


def miss(*given: object) -> NoReturn:
    raise FileNotFoundError


def test_without_locks_everything_can_be_had() -> None:
    trial.get_ready()
    with pytest.raises(trial.Possible, match="it could open a file and open a socket and start a process"):
        trial.try_out()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the calls are those of POSIX")
def test_each_that_is_refused_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", refuse)
    with pytest.raises(trial.Possible, match=r"it could open a file and open a socket$"):
        trial.try_out()
    monkeypatch.setattr(socket, "socket", refuse)
    with pytest.raises(trial.Possible, match=r"it could open a file$"):
        trial.try_out()
    monkeypatch.setattr(os, "open", miss)
    with pytest.raises(trial.Possible, match=r"it could open a file$"):
        trial.try_out()
    monkeypatch.setattr(os, "open", refuse)
    assert trial.try_out() == "asks which files are there"
    monkeypatch.setattr(os, "stat", miss)
    assert trial.try_out() == "asks which files are there"
    monkeypatch.setattr(os, "stat", refuse)
    assert trial.try_out() == ""


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
def test_a_running_worker_has_tried_its_locks(run: Runner, shared_pool: WorkerPool) -> None:
    run("print(1)")
    assert shared_pool.layers["trial"] == "on"


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
def test_a_lock_that_is_missing_is_found_out(tmp_path: Path) -> None:
    assert tried(tmp_path, {}, NO_LANDLOCK)[0]["trial"] == "on"
    without = tried(tmp_path, {}, NO_SECCOMP)[0]["trial"]  # the kernel does not count the processes of root
    assert without == ("absent: it could start a process" if os.geteuid() == 0 else "on (asks which files are there)")
    no_locks = "resource_limits = lambda memory: ''; oslock.no_descriptors = lambda: ''"
    bare = tried(tmp_path, {}, f"oslock.{no_locks}; {NO_LANDLOCK}; {NO_SECCOMP}")[0]["trial"]
    assert bare == "absent: it could open a file and open a socket and start a process"
