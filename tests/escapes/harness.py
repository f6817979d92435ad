"""Tries an attack in a worker with all layers or with one, and looks at what became of the things outside it: a file
with a secret, its folder, a port, a process and the program's environment."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from gradviz.worker import forkserver, process
from gradviz.worker.client import WorkerPool
from gradviz.worker.events import Asked, Done, Event, Output
from gradviz.worker.limits import Limits
from gradviz.worker.protocol import VERSION
from gradviz.worker.spawn import worker_environment
from gradviz.worker.starting import Started
from tests.escapes.attack import Attack

ROOT = Path(__file__).parents[2]
SECRET = "the-secret-81726354"
SMALL = Limits(memory_mb=500, output_chars=20_000, steps=5_000, recorded_bytes=5_000_000)
HURRIED = replace(SMALL, wall_seconds=0.3)  # for what only the clock ends
LAYERS = ("all", "language", "kernel", "parent")
PATIENCE = 60.0

# how an attack can end
CONTAINED = "contained"  # it did not do what it wants
ENDED = "ended"  # the program or the kernel ended the process
INSIDE = "inside"  # it got past Python's surface and reached nothing but its own process
OUT = "OUT"


@dataclass(frozen=True)
class Result:
    """What became of an attack."""

    verdict: str
    status: str
    sentence: str


class LayerPool(WorkerPool):
    """Workers that are forked from this server."""

    def __init__(self, server: forkserver.ForkServer, limits: Limits) -> None:
        super().__init__(limits)
        self._server = server

    def _spawn(self) -> process.WorkerProcess:
        with mock.patch.object(process, "start", self._start):
            return super()._spawn()

    def _start(self, command: object, scratch: str, limits: Limits) -> Started:
        forked = self._server.fork(limits.memory_mb, scratch)
        assert forked is not None
        return Started(forked, {})


class Bench:
    """A fork server whose workers have all layers or one; each attack has a worker of its own, and nothing else of it
    is left when `attempt` returns."""

    def __init__(self, layer: str) -> None:
        self._layer = layer
        self._server: forkserver.ForkServer | None = None
        if layer == "all":
            pool = WorkerPool()  # the program's own server is there before the first test looks for processes
            run = pool.start("", lambda event: None)
            assert run.wait(PATIENCE) is not None
            pool.close()
        else:
            code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
            code += f"from tests.escapes.layered_worker import run; run({layer!r})"
            self._server = forkserver.ForkServer([sys.executable, "-B", "-c", code], worker_environment("/"))

    def attempt(self, attack: Attack, target: Outside) -> Result:
        """Run it, and say what became of it."""
        limits = HURRIED if attack.by_parent else SMALL
        pool = WorkerPool(limits) if self._server is None else LayerPool(self._server, limits)
        try:
            return _attempt(pool, target, attack)
        finally:
            pool.close()

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.close()


class Outside:
    """The things that an attack aims at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._secret = folder / "secret.txt"
        self._secret.write_text(SECRET)
        (folder / "wave_of_the_test.py").write_text("print('imported')")
        self._victim = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        self._port = self._sockets[0].getsockname()[1]
        datagrams = socket.socket(type=socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", self._port))
        self._sockets.append(datagrams)
        for each in self._sockets:
            each.setblocking(False)
        os.environ["GRADVIZ_TEST_TOKEN"] = SECRET
        self._before = self._look()

    def aim(self, source: str) -> str:
        """A snippet's source with the real places in it."""
        places = {"SECRET": self._secret, "FOLDER": self._folder, "PORT": self._port, "VICTIM": self._victim.pid}
        for word, place in {**places, "PARENT": os.getpid(), "VERSION": VERSION}.items():
            source = source.replace(word, str(place))
        return source

    def is_untouched(self, printed: str) -> bool:
        """Whether nothing outside was read or changed."""
        return SECRET not in printed and self._look() == self._before and not any(map(_was_reached, self._sockets))

    def close(self) -> None:
        """Put everything away."""
        os.environ.pop("GRADVIZ_TEST_TOKEN", None)
        for each in self._sockets:
            each.close()
        self._victim.communicate(b"\n")

    def _look(self) -> object:
        files = sorted(
            (str(path), path.lstat().st_mode, path.lstat().st_nlink, path.read_bytes() if path.is_file() else b"")
            for path in self._folder.rglob("*")
        )
        stat = Path(f"/proc/{self._victim.pid}/stat")
        state = stat.read_text().rpartition(")")[2].split() if stat.exists() else []
        return files, self._victim.poll(), state[:1] == ["T"], state[16:17]


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


def _attempt(pool: WorkerPool, target: Outside, attack: Attack) -> Result:
    parts: list[str] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Output):
            parts.append(event.text)
        elif isinstance(event, Asked):
            run.answer(None)

    run = pool.start(target.aim(attack.source), on_event)
    done = run.wait(PATIENCE)
    assert done is not None, f"{attack.label} did not end"
    printed = "".join(parts)
    return Result(_verdict(done, printed, target), done.status, done.detail.sentence)


def _verdict(done: Done, printed: str, target: Outside) -> str:
    if not target.is_untouched(printed):
        return OUT
    if "ESCAPED" in printed:
        return INSIDE
    return ENDED if done.status in ("limit", "died") else CONTAINED
