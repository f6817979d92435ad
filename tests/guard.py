"""What no test may leave behind or let pass unnoticed: a log record of WARNING or worse, a message from Qt, a thread, a
running timer, a process, a window, Python's own garbage collection beside that of the window. Each is reported with the
stack of the place where it began.

Qt is looked at only where a test made an application; nothing here imports it. The fixture around every test is in
conftest.py; that the guard itself bites is tested in architecture/test_guard.py.
"""

from __future__ import annotations

import gc
import logging
import os
import re
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

PATIENCE = float(os.environ.get("GRADVIZ_GUARD_PATIENCE", "2"))  # seconds for what is about to end
# What the offscreen platform says of itself.
HARMLESS = re.compile(r"This plugin does not support (propagateSizeHints\(\)|raise\(\)|grabbing the keyboard)")


def began(skip: int = 2) -> str:
    """The stack of the caller as text, without the test runner's part."""
    frames = traceback.extract_stack(sys._getframe(skip), limit=40)
    own = [frame for frame in frames if "site-packages" not in frame.filename and "/lib/python" not in frame.filename]
    return "".join(traceback.format_list(own[-8:]))


class Origins:
    """Remembers where each thread, process and Qt timer or thread was started. Those of Qt are remembered themselves:
    late in a long run there are so many objects of Qt that to look through all of them takes longer than a test."""

    def __init__(self) -> None:
        self.processes: dict[int, str] = {}
        self.of_qt: weakref.WeakSet[Any] = weakref.WeakSet()
        self._qt_is_watched = False
        self.collection = ""
        gc.enable = partial(self._collects, gc.enable)
        self._wrap(threading.Thread, "start", lambda thread: setattr(thread, "_began", began(3)))
        self._wrap(subprocess.Popen, "__init__", lambda process: self.processes.update({process.pid: began(3)}))

    def watch_qt(self) -> None:
        if not self._qt_is_watched:
            from PySide6.QtCore import QProcess, QThread, QTimer
            from PySide6.QtWidgets import QWidget

            self._qt_is_watched = True
            for kind, name in ((QTimer, "start"), (QThread, "start"), (QProcess, "start"), (QWidget, "show")):
                self._wrap(kind, name, self._begins)

    def _collects(self, enable: Callable[[], None]) -> None:
        self.collection = began()
        enable()

    def _begins(self, one: Any) -> None:
        one._began = began(3)
        self.of_qt.add(one)

    @staticmethod
    def _wrap(owner: type, name: str, note: Callable[[Any], None]) -> None:
        original = getattr(owner, name)

        def started(self: Any, *args: Any, **keywords: Any) -> Any:
            result = original(self, *args, **keywords)
            note(self)
            return result

        setattr(owner, name, started)


class Records(logging.Handler):
    """Collects log records and Qt messages, each with its stack."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.problems: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.problems.append(f"log {record.levelname} {record.name}: {record.getMessage()}\n{began(4)}")

    def qt_message(self, kind: Any, context: Any, text: str) -> None:
        if kind.name not in ("QtDebugMsg", "QtInfoMsg") and not HARMLESS.search(text):
            self.problems.append(f"Qt message ({kind.name}): {text}\n{began(2)}")


SERVER_THREAD = "gradviz-forkserver"


def children() -> set[int]:
    """The running child processes (Linux; elsewhere only what Popen objects say is not looked at). The fork server
    stays for the whole program; what it has forked are children like others."""
    if not _has_any_child():
        return set()
    own = _children("self")
    servers = {pid for pid in own if "--gv-forkserver" in _command(pid)}
    forked = {child for server in servers for child in _children(str(server))}
    return (own - servers) | forked


def _has_any_child() -> bool:
    """One call, where to look through the listings of all threads takes a millisecond around each test."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, ChildProcessError):  # on Windows there is no such call, and nothing is listed
        return False
    return True


def _children(parent: str) -> set[int]:
    """Those of a process. Each of its threads has its own, which pass to another thread where it ends: what passes
    meanwhile to a thread that has been asked already would be missed, so two readings in a row must agree."""
    last, found = None, _children_once(parent)
    while found != last:
        last, found = found, _children_once(parent)
    return found


def _children_once(parent: str) -> set[int]:
    found = set()
    for listing in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            pids = [int(pid) for pid in listing.read_text().split()]
        except (FileNotFoundError, ProcessLookupError):  # that thread has just ended
            continue
        found.update(pid for pid in pids if not _is_dead(pid))
    return found


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name != SERVER_THREAD}


def _is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def application() -> Any:
    """The running QApplication, without importing Qt to ask."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    return widgets.QApplication.instance() if widgets else None


def qt_leftovers(started: Iterable[Any]) -> Iterator[tuple[int, str, Any]]:
    """(identity while the test runs, description, object) of every window, and of every timer, thread and process of Qt
    that was started and still runs."""
    if application() is None:
        return
    from PySide6.QtCore import QProcess, QThread, QTimer
    from PySide6.QtWidgets import QApplication
    from shiboken6 import Shiboken

    for window in QApplication.topLevelWidgets():
        if window.parent() is None:
            yield id(window), f"window {window!r}", window
    main = application().thread()
    for one in list(started):
        if not Shiboken.isValid(one):
            continue
        if isinstance(one, QTimer) and one.isActive():
            yield id(one), f"running timer {one!r} of {one.parent()!r}", one
        elif isinstance(one, QThread) and one is not main and one.isRunning():
            yield id(one), f"running QThread {one!r}", one
        elif isinstance(one, QProcess) and one.state() != QProcess.ProcessState.NotRunning:
            yield id(one), f"running QProcess {one!r}", one


class Guard:
    """Looks at the world before a test and after it."""

    def __init__(self, origins: Origins, records: Records) -> None:
        self._origins = origins
        self._records = records
        self._expected: list[str] = []
        self._was_collecting = gc.isenabled()
        self._threads = _threads()
        self._children = children()
        self._qt = {key: one for key, _, one in qt_leftovers(origins.of_qt)}  # alive, so that no identity is used again
        records.problems.clear()

    def expects(self, pattern: str) -> None:
        """Say that a log record or Qt message matching `pattern` must come; it is then no failure."""
        self._expected.append(pattern)

    def verdict(self) -> str:
        """Everything that is wrong after the test, or an empty text."""
        problems = self._messages()
        leaks = self._wait(PATIENCE / 4)
        if leaks:
            gc.collect()  # may take seconds late in a long run, so it comes second and the clock starts after it
            leaks = self._wait(PATIENCE)
        return "\n".join(problems + leaks + list(self._collection()))

    def _collection(self) -> Iterator[str]:
        """A thread that destroys an object of Qt may wait for the window's thread, which waits for that thread: some
        later test would hang."""
        if gc.isenabled() and not self._was_collecting:
            gc.disable()
            place = self._origins.collection
            yield f"Python's garbage collection was off for the sake of Qt and is on again, since\n{place}"

    def _wait(self, seconds: float) -> list[str]:
        """What is still there after at most this time."""
        deadline = time.monotonic() + seconds
        while (leaks := self._leaks()) and time.monotonic() < deadline:
            self._let_things_end()
        return leaks

    def _messages(self) -> list[str]:
        problems = list(self._records.problems)
        for pattern in self._expected:
            met = [problem for problem in problems if re.search(pattern, problem)]
            if met:
                problems = [problem for problem in problems if problem not in met]
            else:
                problems.append(f"expected a message matching {pattern!r}, which did not come")
        return problems

    def _let_things_end(self) -> None:
        app = application()
        if app is not None:
            from PySide6.QtCore import QEvent

            app.processEvents()
            app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        time.sleep(0.01)

    def _leaks(self) -> list[str]:
        threads = _threads()
        lost = []
        if len(threads) > len(self._threads):  # a pool that the whole module shares may replace a thread by another
            for thread in threads - self._threads:
                lost.append(f"leaked thread {thread!r}, started at\n{getattr(thread, '_began', 'a place unknown')}")
        running = children()
        if len(running) > len(self._children):
            for pid in running - self._children:
                place = self._origins.processes.get(pid, "a place unknown")
                lost.append(f"leaked process {pid} {_command(pid)}, started at\n{place}")
        for key, what, one in qt_leftovers(self._origins.of_qt):
            if key not in self._qt:
                lost.append(f"leaked {what}, started at\n{getattr(one, '_began', 'a place unknown (never shown)')}")
        return lost


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[-200:]
    except (FileNotFoundError, ProcessLookupError):
        return "(ended just now)"


def quiet_environment(folder: str) -> None:
    """Qt without a display, and everything that is remembered between starts in a folder that is thrown away."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[name] = folder
    os.environ["APPDATA"] = os.environ["LOCALAPPDATA"] = folder  # the same on Windows
