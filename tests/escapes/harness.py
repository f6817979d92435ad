"""Tries an attack in a worker with all layers or with one, and looks at what became of the things outside it: a file
with a secret, its folder, a port, a process and its environment."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from unittest import mock

import numpy as np

from gradviz.document.snippet import Attached
from gradviz.worker.process import forkserver, worker_process
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Asked, Done, Event, Output
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.protocol import VERSION
from gradviz.worker.process.spawn import source_command, worker_environment
from gradviz.worker.process.starting import Started
from tests.escapes.attack import Attack

ROOT = Path(__file__).parents[2]
MARK = "81726354"
SECRET = f"the-secret-{MARK}"
MODIFIED = int(f"{MARK}1")  # when the file with the secret was: whoever shows its time has asked for it
HOMES = {str(ROOT), sys.prefix, sys.base_prefix} - {"/usr", "/usr/local"}  # what a worker must not know
SMALL = Limits(
    memory_mb=500, output_chars=20_000, steps=5_000, recorded_bytes=5_000_000, cpu_seconds=30.0,
    idle_seconds=5.0,  # for what waits at a descriptor
)  # fmt: skip
HURRIED = replace(SMALL, wall_seconds=0.3)  # for what only the clock ends
LAYERS = ("all", "language", "kernel", "parent")
PATIENCE = (
    180.0  # more than the processor time of `SMALL` takes on a busy computer: what catches everything ends by that
)
AT_ONCE = 4  # attacks; most of what one takes is waiting, and some take memory

# how an attack can end
CONTAINED = "contained"  # it did not do what it wants
ENDED = "ended"  # the program or the kernel ended the process
INSIDE = "inside"  # it got past Python's surface and reached nothing but its own process
OUT = "OUT"  # it reached or learned something outside, be it that a file is there


@dataclass(frozen=True)
class Result:
    """What became of an attack."""

    verdict: str
    status: str
    sentence: str


class Bench:
    """A fork server whose workers have all layers or one; each attack has a worker of its own, and nothing else of it
    is left when `attempt` returns."""

    def __init__(self, layer: str) -> None:
        self._ahead = layer == "all"  # a spare worker is another one only there: what it has rehearsed is in it
        self._server: forkserver.ForkServer | None = None
        self._instead: Any = None
        if layer == "all":
            pool = WorkerPool()  # the program's own server is there before the first test looks for processes
            run = pool.start("", lambda event: None)
            assert run.wait(PATIENCE) is not None
            pool.close()
        else:
            command = source_command("tests.escapes.layered_worker", f"run({layer!r})")
            self._server = forkserver.ForkServer(command, worker_environment("/"))
            self._instead = mock.patch.object(worker_process, "start", self._start)
            self._instead.start()

    def _start(self, command: object, scratch: str, limits: Limits, ahead: bool) -> Started:
        assert self._server is not None
        forked = self._server.fork(limits.memory_mb, scratch, ahead)
        assert forked is not None
        return Started(forked, {})

    def attempt(self, attack: Attack, target: Outside) -> Result:
        """Run it, and say what became of it."""
        pool = WorkerPool(HURRIED if attack.by_parent else SMALL, ahead=self._ahead)
        try:
            return _attempt(pool, target, attack)
        finally:
            pool.close()

    def attempt_all(self, attacks: Sequence[Attack], targets: Targets | None = None) -> list[Result]:
        """The same for many, several at a time; what was reached stands in the way of no other."""
        if targets is None:
            with Targets() as own:
                return self.attempt_all(attacks, own)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda attack: self._at_one_of(targets, attack), attacks))

    def _at_one_of(self, targets: Targets, attack: Attack) -> Result:
        with targets.one() as lent:
            result = self.attempt(attack, lent.target)
            lent.is_reached = result.verdict == OUT
            return result

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._instead.stop()
            self._server.close()


class Outside:
    """The things that an attack aims at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._secret = folder / "secret.txt"
        self._secret.write_text(SECRET)
        os.utime(self._secret, (MODIFIED, MODIFIED))
        (folder / "link").symlink_to(self._secret)
        (folder / "wave_of_the_test.py").write_text(f"word = {SECRET!r}")
        np.save(folder / "secret.npy", np.frombuffer(SECRET.encode(), "u1"))
        environment = {**os.environ, "GRADVIZ_TEST_TOKEN": SECRET}
        self._victim = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=environment)
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        self._port = self._sockets[0].getsockname()[1]
        datagrams = socket.socket(type=socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", self._port))
        self._sockets.append(datagrams)
        for each in self._sockets:
            each.setblocking(False)
        self._before = self._look()

    def aim(self, source: str) -> str:
        """A snippet's source with the real places in it."""
        places = {"SECRET": self._secret, "FOLDER": self._folder, "PORT": self._port, "VICTIM": self._victim.pid}
        for word, place in {**places, "PARENT": os.getpid(), "VERSION": VERSION}.items():
            source = source.replace(word, str(place))
        return source

    def is_untouched(self, said: str) -> bool:
        """Whether nothing outside was read or changed, nor its time, nor where the program is."""
        is_told = MARK in said or any(home in said for home in HOMES)
        return not is_told and self._look() == self._before and not any(map(_was_reached, self._sockets))

    def close(self) -> None:
        """Put everything away."""
        for each in self._sockets:
            each.close()
        self._victim.kill()  # it may have been stopped
        self._victim.communicate()

    def _look(self) -> object:
        files = sorted(
            (str(path), path.lstat().st_mode, path.lstat().st_nlink, path.read_bytes() if path.is_file() else b"")
            for path in self._folder.rglob("*")
        )
        return files, self._victim.poll(), *_state_of(self._victim.pid)


def _state_of(pid: int) -> list[object]:
    """Whether a process is stopped, its priority, and the signals that are on their way to it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return []
    return [stat[0] in "TtZX", stat[16], *re.findall(r"(?:Sig|Shd)Pnd:\s*(\w+)", status)]


def _was_reached(door: socket.socket) -> bool:
    try:
        if door.type == socket.SOCK_DGRAM:
            door.recv(10)
        else:
            door.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@contextmanager
def outside() -> Iterator[Outside]:
    """The things to aim at, in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="gradviz-outside-") as folder:
        target = Outside(Path(folder))
        try:
            yield target
        finally:
            target.close()


class _Lent:
    """Something to aim at."""

    def __init__(self) -> None:
        self.is_reached = False
        self._open = ExitStack()
        self.target = self._open.enter_context(outside())

    def close(self) -> None:
        self._open.close()


class Targets:
    """As many things to aim at as there are attacks at once. What was not reached is as it was, and serves the next."""

    def __init__(self) -> None:
        self._free: SimpleQueue[_Lent] = SimpleQueue()

    def __enter__(self) -> Targets:
        for _ in range(AT_ONCE):
            self._free.put(_Lent())
        return self

    def __exit__(self, *_: object) -> None:
        while not self._free.empty():
            self._free.get().close()

    @contextmanager
    def one(self) -> Iterator[_Lent]:
        """Lend one that nobody else aims at; another one takes its place if it was reached."""
        lent = self._free.get()
        try:
            yield lent
        finally:
            if lent.is_reached:
                lent.close()
                lent = _Lent()
            self._free.put(lent)


def _attempt(pool: WorkerPool, target: Outside, attack: Attack) -> Result:
    parts: list[str] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Output):
            parts.append(event.text)
        elif isinstance(event, Asked):
            begun.wait()
            run.answer(None)

    begun = threading.Event()  # it may ask before its run is known here
    files = [Attached(name, target.aim(text).encode()) for name, text in attack.files]
    run = pool.start(target.aim(attack.source), on_event, files=files)
    begun.set()
    done = run.wait(PATIENCE)
    assert done is not None, f"{attack.label} did not end"
    printed = "".join(parts)
    return Result(_verdict(done, printed, target), done.status, done.detail.sentence)


def _verdict(done: Done, printed: str, target: Outside) -> str:
    told = f"{printed}{done.detail.sentence}{done.detail.traceback}"
    if not target.is_untouched(told) or "LEARNED" in printed:
        return OUT
    if "ESCAPED" in printed:
        return INSIDE
    return ENDED if done.status in ("limit", "died") else CONTAINED
