"""Workers that are forked: each like one that was started by itself, and nobody stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.worker.process import forkserver
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Output
from gradviz.worker.process.forkserver import Forked, ForkServer
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.spawn import worker_command, worker_environment
from gradviz.worker.process.worker_process import WorkerProcess

pytestmark = pytest.mark.skipif(not forkserver.available(), reason="the fork server is for Linux; elsewhere: starting")
READY = 60  # seconds, on a machine that is busy


def server() -> ForkServer:
    found = forkserver.the_server()
    assert found is not None
    return found


def printed(pool: WorkerPool, source: str) -> str:
    texts: list[str] = []
    run = pool.start(source, lambda event: texts.append(event.text) if isinstance(event, Output) else None)
    assert run.wait(READY) is not None
    return "".join(texts)


@pytest.mark.parametrize(("ahead", "count"), [(True, 2), (False, 1)])
def test_a_pool_that_is_not_ahead_starts_a_worker_for_a_run_only(
    monkeypatch: pytest.MonkeyPatch, ahead: bool, count: int
) -> None:
    started: list[WorkerProcess] = []
    spawn = WorkerPool._spawn

    def counted(pool: WorkerPool) -> WorkerProcess:
        started.append(spawn(pool))
        return started[-1]

    monkeypatch.setattr(WorkerPool, "_spawn", counted)
    pool = WorkerPool(Limits(), ahead=ahead)
    try:
        assert printed(pool, "print(1 + 1)") == "2\n"
        started[0].join()
        assert len(started) == count
    finally:
        pool.close()


def test_workers_come_from_one_server_and_are_processes_of_their_own() -> None:
    first, second = WorkerProcess(Limits()), WorkerProcess(Limits())
    assert first.wait_ready(READY)
    assert second.wait_ready(READY)
    assert len({first.pid, second.pid, server().pid}) == 3
    assert first.layers == second.layers
    for worker in (first, second):
        assert os.getsid(worker.pid) == worker.pid
        worker.kill()
        worker.join()
        assert not worker.is_alive


def test_a_worker_holds_its_pipe_and_the_null_device_only() -> None:
    others = [WorkerProcess(Limits()) for _ in range(3)]
    worker = WorkerProcess(Limits())
    assert worker.wait_ready(READY)
    held = [os.readlink(entry) for entry in Path(f"/proc/{worker.pid}/fd").iterdir()]
    pipes = [name for name in held if name.startswith("pipe:")]
    assert len(pipes) == len(set(pipes)) == 2
    assert set(held) - set(pipes) == {os.devnull}
    for each in (*others, worker):
        each.kill()
        each.join()


def test_what_a_snippet_leaves_is_not_in_the_next_worker() -> None:
    pool = WorkerPool()
    leave = "import torch, collections\ntorch.manual_seed(7)\ntorch.set_grad_enabled(False)\nprint(torch.rand(1))\n"
    look = "import torch\nprint(torch.is_grad_enabled(), torch.initial_seed())\n"
    before = printed(pool, look)
    assert printed(pool, leave) == "tensor([0.5349])\n"
    assert printed(pool, look) == before == "True 67280421310721\n"
    pool.close()


def test_a_worker_that_is_killed_before_it_began_ends() -> None:
    own = ForkServer(worker_command(), worker_environment("/"))
    forked = own.fork(1500, "/")
    assert forked is not None
    forked.kill()
    assert forked.wait() == -signal.SIGKILL
    _close(forked)
    own.close()


def test_the_end_of_the_server_is_the_end_of_its_workers_and_not_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forkserver, "_server", ForkServer(worker_command(), worker_environment("/")))
    worker = WorkerProcess(Limits())
    assert worker.wait_ready(READY)
    lost = server()
    os.kill(lost.pid, signal.SIGKILL)
    worker.join()
    lost.reader.join()
    assert not worker.is_alive
    assert lost.fork(1500, "/") is None
    pool = WorkerPool()
    assert printed(pool, "print('a new server')") == "a new server\n"
    assert server() is not lost
    pool.close()
    server().close()
    server().close()


def test_where_the_server_can_fork_nothing_workers_are_started_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = ForkServer([sys.executable, "-c", "import sys; sys.exit(3)"], {}, forkserver.ATTEMPTS)
    broken.reader.join()
    monkeypatch.setattr(forkserver, "_server", broken)
    pool = WorkerPool()
    assert printed(pool, "print('by itself')") == "by itself\n"
    assert forkserver.the_server() is None
    pool.close()


def test_a_server_that_ends_too_soon_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = ForkServer([sys.executable, "-c", "import sys; sys.exit(3)"], {})
    broken.reader.join()
    monkeypatch.setattr(forkserver, "_server", broken)
    pool = WorkerPool()
    assert broken.has_failed and printed(pool, "print('forked')") == "forked\n"
    assert server() is not broken and not server().has_failed
    pool.close()
    server().close()


def test_a_server_that_was_closed_before_it_was_needed_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    unused = ForkServer(worker_command(), worker_environment("/"))
    monkeypatch.setattr(forkserver, "_server", unused)
    forkserver.close_server()
    assert unused.is_gone and not unused.has_failed
    following = server()
    assert following is not unused and not following.is_gone
    following.close()


def test_a_kernel_without_processes_as_descriptors_starts_them_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(pid: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refused)
    assert not forkserver.available.__wrapped__()


def test_what_hinders_all_workers_is_said_by_each(tmp_path: Path) -> None:
    """The packages of the program are damaged."""
    (tmp_path / "numpy.py").write_text("raise ImportError('this numpy is damaged')")
    command = worker_command()
    at = command.index("-c") + 1
    command[at] = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {command[at]}"
    own = ForkServer(command, worker_environment("/"))
    forked = own.fork(1500, "/")
    assert forked is not None
    assert forked.stdout is not None
    assert b"this numpy is damaged" in forked.stdout.read()
    assert forked.wait() == 1
    _close(forked)
    own.close()


def test_server_and_workers_end_with_a_program_that_is_killed() -> None:
    code = (
        "import sys\nfrom gradviz.worker.process import forkserver\nfrom gradviz.worker.process.limits import Limits\n"
        "from gradviz.worker.process.worker_process import WorkerProcess\n"
        f"worker = WorkerProcess(Limits())\nworker.wait_ready({READY})\n"
        "print(worker.pid, forkserver._server.pid, flush=True)\nsys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        handles = [os.pidfd_open(int(pid)) for pid in program.stdout.readline().split()]
        program.kill()
    import select

    for handle in handles:
        assert select.select([handle], [], [], READY)[0] == [handle]
        os.close(handle)


def _close(forked: Forked) -> None:
    for stream in (forked.stdin, forked.stdout):
        assert stream is not None
        stream.close()
