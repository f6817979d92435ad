"""The guard around every test bites: each kind of thing that a test may leave behind is left behind on purpose, in a
run of pytest of its own, and must fail that test with the place where it began."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests import guard

ROOT = Path(__file__).parents[2]

CULPRITS = {
    "warning": ("import warnings; warnings.warn('beware')", "UserWarning: beware"),
    "log": ("import logging; logging.getLogger('gradviz').warning('low memory')", "log WARNING gradviz: low memory"),
    "thread": (
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "leaked thread",
    ),
    "process": (
        "import subprocess, sys; test.one = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'])",
        "leaked process",
    ),
    "qt_message": ("from PySide6.QtCore import qWarning; qWarning('pixmap is null')", "pixmap is null"),
    "timer": ("from PySide6.QtCore import QTimer; test.one = QTimer(); test.one.start(1000)", "leaked running timer"),
    "window": ("from PySide6.QtWidgets import QWidget; test.one = QWidget(); test.one.show()", "leaked window"),
    "qthread": ("from PySide6.QtCore import QThread; test.one = QThread(); test.one.start()", "leaked running QThread"),
    "collection": ("import gc; gc.enable()", "garbage collection was off for the sake of Qt and is on again"),
    "unmet": ("expects('a message that never comes')", "which did not come"),
}
INNOCENT = """
def test_innocent(qapp, expects):
    import logging
    expects("disk is full")
    logging.getLogger("gradviz").error("disk is full")
"""
AFTERWARDS = """
import atexit
def stop_what_was_left():
    getattr(globals().get('test_process'), 'one', None) and test_process.one.kill()
    thread = getattr(globals().get('test_qthread'), 'one', None)
    if thread: thread.quit(); thread.wait()
atexit.register(stop_what_was_left)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says about a file of culprits, run with the project's own conftest and settings."""
    bodies = [
        f"def test_{name}(qapp, expects):\n    test = test_{name}\n    {code}\n" for name, (code, _) in CULPRITS.items()
    ]
    file = tmp_path_factory.mktemp("culprits") / "test_culprits.py"
    return _pytest_on(file, AFTERWARDS + INNOCENT + "\n".join(bodies), ["-p", "no:xdist"])


def _pytest_on(file: Path, tests: str, options: list[str]) -> str:
    file.write_text(tests)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", *options]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(file.parent), "--tb=short", "-rA", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GRADVIZ_GUARD_PATIENCE": "0.1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", CULPRITS)
def test_culprit_is_caught_and_its_place_named(report: str, name: str) -> None:
    expected = CULPRITS[name][1]
    verdicts = [line for line in report.splitlines() if line.startswith(("FAILED", "ERROR"))]
    assert any(f"::test_{name}" in line for line in verdicts), report
    assert expected in report
    if name not in ("warning", "unmet"):
        assert f"in test_{name}" in report, "the report does not say where it began"


def test_innocent_test_passes(report: str) -> None:
    assert any(line.startswith("PASSED") and line.endswith("test_innocent") for line in report.splitlines()), report


def _starts_one(started: list[subprocess.Popen[bytes]], begun: threading.Semaphore, release: threading.Event) -> None:
    started.append(subprocess.Popen(["sleep", "60"]))
    begun.release()
    release.wait()


def test_children_whose_threads_end_are_all_found() -> None:
    """They pass to another thread while one looks."""
    for _ in range(100):
        started: list[subprocess.Popen[bytes]] = []
        begun, release = threading.Semaphore(0), threading.Event()
        threads = [threading.Thread(target=_starts_one, args=(started, begun, release)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for _ in threads:
            begun.acquire()
        release.set()
        overlooked = [{one.pid for one in started} - guard.children() for _ in range(6)]
        for thread in threads:
            thread.join()
        for one in started:
            one.kill()
            one.wait()
        assert overlooked == [set()] * 6


# Nothing of Python runs any more in such a process, so only a watch outside of Python can end it.
HANGS = """
import ctypes
def test_before(): pass
def test_holds_the_interpreter_lock_forever(): ctypes.PyDLL(None).pause()
def test_after(): pass
"""


def test_a_test_that_hangs_fails_and_the_run_goes_on(tmp_path: Path) -> None:
    done = _pytest_on(tmp_path / "test_hangs.py", HANGS, ["-n", "1", "-o", "faulthandler_timeout=2"])
    assert "1 failed, 2 passed" in done, done
    assert "crashed while running 'test_hangs.py::test_holds_the_interpreter_lock_forever'" in done, done
    assert "Timeout (0:00:02)!" in done, done
    assert '.py", line 4 in test_holds_the_interpreter_lock_forever' in done, done
