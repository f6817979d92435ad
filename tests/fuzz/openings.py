"""Damaged files through everything that opens files: `gradviz code`, `run` and `export`, and the window, in which a
monkey plays with what came of them. Each ends with a status and sentences, in bounded time; no error of our own, no
word of Qt, no file but those that were asked for."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from PySide6.QtWidgets import QApplication

from gradviz import cli
from gradviz.document.snippet import Snippet
from gradviz.ui.launch import application, wait_until
from gradviz.ui.sharing import export
from gradviz.ui.window import MainWindow
from gradviz.worker.process import client
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.limits import Limits
from tests.fuzz import files
from tests.fuzz.choices import Choices
from tests.fuzz.plots import nothing_said
from tests.fuzz.shown import RUNS, the_window
from tests.monkey import Monkey, let_things_end

LIMITS = Limits(wall_seconds=3.0, cpu_seconds=3.0)
LATE = 60.0  # seconds of processor time of all that is done with one file
EVENTS = 12
OURS = re.compile(r'File "[^"]*gradviz/(?!torch|engine)[^"]*", line')
STATUSES = (0, 1, 2)


def one_input(data: bytes) -> None:
    """A file, and everything that is done with it."""
    choices = Choices(data)
    seed = choices.number(1 << 16)
    application()  # else `export` makes one that has no window
    begun = time.thread_time()
    with tempfile.TemporaryDirectory(prefix="gradviz-fuzz-") as name, warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = Path(name)
        path = files.put(folder, choices)
        before = sorted(each.name for each in folder.iterdir())
        on_the_command_line(path, choices.of((".svg", ".png", ".pdf")))
        assert before == sorted(each.name for each in folder.iterdir())
        with nothing_said():
            in_the_window(path, seed)
    took = time.thread_time() - begun
    assert took < LATE, f"{took:.0f} seconds of processor time"


def on_the_command_line(path: Path, ending: str) -> None:
    """Code, run, export."""
    with tempfile.TemporaryDirectory(prefix="gradviz-fuzz-out-") as name:
        out = Path(name) / f"graph{ending}"
        with listened() as said:
            statuses = [
                cli.run_command_line(["code", str(path)]),
                cli._run_file(_pool(), path, (), (), False, False, None),
                export.export(path, out),
            ]
        assert all(status in STATUSES for status in statuses), (statuses, said.getvalue()[-2000:])
        assert not OURS.search(said.getvalue()), said.getvalue()[-3000:]
        assert statuses[2] == 1 or out.stat().st_size > 100


@contextlib.contextmanager
def listened() -> Iterator[io.StringIO]:
    """What is written to both streams inside; nothing can be read from standard input."""
    said = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
    heard = io.StringIO()
    before = sys.stdin, client.pool_of_a_command
    sys.stdin, client.pool_of_a_command = io.StringIO(), _same_pool  # type: ignore[assignment]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            yield heard
    finally:
        sys.stdin, client.pool_of_a_command = before
        heard.write(said.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]


@contextlib.contextmanager
def _same_pool(_: Limits | None = None) -> Iterator[WorkerPool]:
    yield _pool()


@cache
def _pool() -> WorkerPool:
    return WorkerPool(LIMITS)


def in_the_window(path: Path, seed: int) -> None:
    """Open it, run it, play with it."""
    window = the_window()
    window.shell.runner._make_pool = lambda: WorkerPool(LIMITS)
    opened = window.files.open_path(path)
    assert opened or window.store.state.notice.sentence
    QApplication.processEvents()
    if opened and not window.store.state.document.is_blank:
        window.shell.runner.run()
        wait_until(lambda: not window.store.state.run.is_running)
        window.shell.runner.stop()  # it may have asked something
        for _ in range(10):  # as long as a busy machine needs
            wait_until(lambda: not window.store.state.run.is_running)
        assert not window.store.state.run.is_running
        _play(window, seed)
    window.store.open(Snippet(), None)
    QApplication.processEvents()


def _play(window: MainWindow, seed: int) -> None:
    with tempfile.TemporaryDirectory(prefix="gradviz-fuzz-") as folder:
        monkey = Monkey(window, seed, Path(folder), draws=True)
        for act in [act for act in monkey._plays if act.__name__ in RUNS]:
            del monkey._plays[act]
        monkey.play(EVENTS)
        let_things_end(window)
    assert not monkey.broken, "\n\n".join(monkey.broken)
