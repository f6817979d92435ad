"""Nothing stays behind when the program ends, however it ends and whatever it is doing: no process, and no folder for
temporary files."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradviz.worker.process import forkserver
from gradviz.worker.process.client import pool_of_a_command
from gradviz.worker.process.forkserver import ForkServer
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.spawn import worker_command, worker_environment
from tests.guard import _children, _is_dead

pytestmark = pytest.mark.skipif(not forkserver.available(), reason="processes are looked at as Linux shows them")
PATIENCE = 60.0
LOOPS = {
    "in Python": "while True: pass",
    "in C": "import time\ntime.sleep(0.5)\nsum(range(10 ** 15))",  # no bytecode ends, so that no tick comes
    "waiting": "input()",
}
STUCK = "import time, gradviz.worker.main as main\nmain._prepare = lambda: time.sleep(1000)\nmain.main()"


def _hears_hangups() -> None:
    """Under `nohup` a process inherits that it does not."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def descendants(pid: int) -> set[int]:
    found = _children(str(pid))
    return found.union(*map(descendants, found)) if found else found


def all_end(pids: set[int]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while any(not _is_dead(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    return all(map(_is_dead, pids))


@pytest.mark.parametrize(
    ("number", "loop"),
    [(one, "in C") for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)]
    + [(signal.SIGKILL, "in Python"), (signal.SIGKILL, "waiting")],
)
def test_a_command_that_is_ended_while_a_snippet_runs(number: signal.Signals, loop: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"print('begun')\n{LOOPS[loop]}\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "gradviz", "run", "--time-limit", "600", str(tmp_path / "a.py")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(temporary)},
        preexec_fn=_hears_hangups,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        below = descendants(process.pid)
        assert len(below) >= 2, "the fork server and a worker"
        process.send_signal(number)
        assert process.wait(PATIENCE) == (130 if number == signal.SIGINT else -number)
        assert all_end(below)
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("flag", ["--gv-worker", "--gv-forkserver"])
def test_a_worker_that_is_still_getting_ready(flag: str, tmp_path: Path) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen([sys.executable, "-c", STUCK, flag], stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
    theirs.close()
    scratch = tmp_path / "gradviz-abcdefgh"
    scratch.mkdir()
    if flag == "--gv-forkserver":
        ours.send(b'{"memory_mb": 1500, "scratch": "%s"}' % os.fsencode(scratch))
    time.sleep(0.5)
    assert process.poll() is None
    ours.close()
    assert process.wait(PATIENCE) == 0
    assert scratch.exists() == (flag == "--gv-worker")


def test_the_folder_of_a_worker_is_gone_before_it_is_ready(tmp_path: Path) -> None:
    own = ForkServer(worker_command(), worker_environment("/"))
    scratch = tmp_path / "gradviz-abcdefgh"
    scratch.mkdir()
    forked = own.fork(1500, str(scratch))
    assert forked is not None and forked.stdout is not None and forked.stdin is not None
    assert forked.stdout.read(1) == b"G", "READY"
    assert not scratch.exists()
    forked.kill()
    forked.wait()
    forked.stdout.close()
    forked.stdin.close()
    own.close()


def test_a_command_does_not_wait_for_a_worker_that_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = ForkServer([sys.executable, "-c", STUCK], worker_environment("/"))
    monkeypatch.setattr(forkserver, "_server", stuck)
    with pool_of_a_command(Limits()) as pool:
        run = pool.start("print(1)", lambda event: None)
    assert stuck.is_gone and run.result is not None and run.result.status == "died"
