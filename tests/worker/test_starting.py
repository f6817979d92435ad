"""A worker that is started by itself, as on systems without the fork server: what it is given, and what becomes of
locks that fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradviz.worker.process import spawn, starting, worker_process
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.spawn import worker_command, worker_environment, worker_folders
from gradviz.worker.process.starting import Started
from gradviz.worker.process.worker_process import WorkerProcess

ROOT = Path(__file__).parents[2]
READY = 60
HAS_PROC = Path("/proc/self/fd").exists()


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    one = WorkerProcess(Limits(), command=worker_command())
    assert one.wait_ready(READY)
    yield one
    one.kill()
    one.join()


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_a_worker_has_nothing_of_the_user(worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    of = Path(f"/proc/{worker.pid}")
    variables = dict(each.split("=", 1) for each in (of / "environ").read_text().split("\0") if each)
    assert set(variables) == set(worker_environment("x"))
    assert not {"USER", "LOGNAME", "DISPLAY", "SSH_AUTH_SOCK", "PYTHONPATH"} & set(variables)
    held = sorted(os.readlink(entry).split(":")[0] for entry in (of / "fd").iterdir())
    assert held == ["/dev/null", "/dev/null", "/dev/null", "pipe", "pipe"]
    assert os.readlink(of / "cwd").endswith(" (deleted)"), "its folder is gone before a snippet runs"
    assert variables["HOME"] == os.readlink(of / "cwd").removesuffix(" (deleted)")
    assert len(list((of / "task").iterdir())) == 1, "one thread, or Landlock would leave out the others"


ORPHAN = """
import os, sys, time
from gradviz.worker.process.parent import parent_watch
reading, writing = os.pipe()
if not os.fork():
    if not os.fork():
        watch = parent_watch()
        before = watch()
        os.write(writing, b"x")
        while not watch(): time.sleep(0.01)
        print(before, watch(), flush=True)
    else: os.read(reading, 1)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(os.name == "nt", reason="forks")
def test_a_process_without_its_parent_is_an_orphan() -> None:
    """Asked by each worker, also where the kernel does not end it."""
    done = subprocess.run([sys.executable, "-c", ORPHAN], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout == "False True\n", done.stderr


@pytest.mark.skipif(not HAS_PROC, reason="needs /proc")
def test_a_worker_that_loops_ends_with_a_program_that_is_killed() -> None:
    code = (
        "import sys\nfrom gradviz.worker.process.limits import Limits\n"
        "from gradviz.worker.process.worker_process import WorkerProcess\n"
        "from gradviz.worker.process.protocol import Frame, FrameKind\n"
        "from gradviz.worker.process.spawn import worker_command\n"
        f"worker = WorkerProcess(Limits(), command=worker_command())\nworker.wait_ready({READY})\n"
        "def say(frame): print(worker.pid, flush=True)\n"
        "worker.listen(say, print)\nbounds = {'output_chars': 100, 'values_mb': 1}\n"
        "source = 'print(1)\\nwhile True: pass\\n'\n"
        "worker.send(Frame(FrameKind.RUN, 1, {'source': source, 'filename': 's', 'limits': bounds}))\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        handle = os.pidfd_open(int(program.stdout.readline()))
        program.kill()
    import select

    assert select.select([handle], [], [], READY)[0] == [handle]
    os.close(handle)


def started(code: str, layers: dict[str, str], release: Callable[[], None]) -> Started:
    pipe = subprocess.PIPE
    return Started(subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, bufsize=0), layers, release)


def test_a_lock_in_which_no_worker_gets_ready_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_given_up", {})
    released: list[bool] = []
    outside = {"job": "on", "sandbox": "absent: no"}
    monkeypatch.setattr(worker_process, "start", lambda *_: started("pass", outside, lambda: released.append(True)))
    one = WorkerProcess(Limits())
    one.join()
    assert released == [True]
    assert starting._given_up == {"job": "absent: a worker did not start in it"}


def test_a_lock_in_which_a_worker_hangs_while_it_starts_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_given_up", {})
    outside = {"job": "on", "restricted token": "on"}
    monkeypatch.setattr(worker_process, "start", lambda *_: started("input()", outside, starting._nothing))
    one = WorkerProcess(Limits())
    assert not one.wait_ready(0.1)
    one.kill()
    one.join()
    assert starting._given_up == {"restricted token": "absent: a worker did not start in it"}


def test_a_worker_that_is_killed_while_it_starts_says_nothing_about_its_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_given_up", {})
    monkeypatch.setattr(worker_process, "start", lambda *_: started("input()", {"sandbox": "on"}, starting._nothing))
    one = WorkerProcess(Limits())
    one.kill()
    one.join()
    assert starting._given_up == {}


def test_locks_from_outside_are_told_with_those_from_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    real = starting.start
    monkeypatch.setattr(
        worker_process, "start", lambda *given: Started(real(*given).process, {"sandbox": "on"}, starting._nothing)
    )
    one = WorkerProcess(Limits(), command=worker_command())
    assert one.wait_ready(READY)
    assert one.layers["sandbox"] == one.layers["language"] == "on"
    one.kill()
    one.join()


def test_a_virtual_environment_on_windows_is_left_to_its_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its python.exe starts another process, and the Job allows one."""
    monkeypatch.setattr(sys, "_base_executable", "C:\\Python\\python.exe", raising=False)
    with monkeypatch.context() as patched:
        patched.setattr(spawn.os, "name", "nt")
        patched.setitem(os.environ, "SYSTEMROOT", "D:\\Windows")
        python, variables = spawn._python(), worker_environment("S:\\scratch")
    assert python == "C:\\Python\\python.exe"
    assert variables["PATH"] == "D:\\Windows\\System32"
    assert {variables[name] for name in ("HOME", "TEMP", "TMP", "USERPROFILE")} == {"S:\\scratch"}
    assert spawn._python() == sys.executable


def test_the_folders_of_a_worker_hold_all_that_it_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy

    folders = worker_folders()
    for module in (os, numpy, spawn):
        assert any(str(module.__file__).startswith(folder) for folder in folders), module
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/Applications/GradViz.app/Contents/MacOS/gradviz")
    assert worker_folders() == ["/Applications/GradViz.app/Contents"]
    monkeypatch.setattr(sys, "executable", "/opt/gradviz/gradviz")
    assert worker_folders() == ["/opt/gradviz"]
