"""A worker in which only some layers hold, for measuring what each contains: `language`, `kernel`, or `parent`, where
nothing does but the program's own clock and limits. It belongs to the tests; the shipped worker has no such choice.

Started by `harness` as a fork server, with the arguments of a worker.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from typing import Any

from gradviz.worker import main
from gradviz.worker.modules import stand_ins
from gradviz.worker.objects import hardening
from gradviz.worker.running import audit, runner

# What attacks import is there already: a lock that only kept a module from being loaded would not have been tried.
_MODULES = """
asyncio atexit codecs concurrent.futures.process concurrent.futures.thread copy ctypes dbm.dumb dbm.gnu dbm.ndbm
dbm.sqlite3 faulthandler fileinput gc getpass glob http.client importlib.machinery importlib.util linecache logging
marshal mmap multiprocessing.popen_fork numpy.ctypeslib pathlib pickle platform pty pwd resource runpy shelve shutil
signal socket sqlite3 subprocess sysconfig tempfile threading tokenize urllib.request zipfile
""".split()


class PlainRunner(runner.Runner):
    """Runs a snippet as Python does, without the language's policy: with Python's own builtins and modules, NumPy
    itself, and `gradviz.torch` as torch."""

    def _run(self, source: str, filename: str, *more: Any) -> dict[str, Any]:
        for name, module in stand_ins.load_torch().items():
            sys.modules[name] = module
        names = {"__name__": "__main__", "print": self._printer()}
        self._ticker.start()
        try:
            exec(compile(source, filename, "exec"), names)
        except BaseException as error:  # noqa: BLE001 how it ended is the result
            return _ended(error)
        finally:
            self._ticker.stop()
        return {"status": "ok"}


def _ended(error: BaseException) -> dict[str, Any]:
    try:
        words = f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001 a text that raises
        words = type(error).__name__
    return {"status": "raised", "sentence": words[:2000], "line": 1, "traceback": "", "last_line": ""}


def run(layer: str) -> None:
    """Be a worker with this layer only."""
    audit.refuse_from_now_on = lambda: None
    main._warm_up = lambda runner: None  # it makes a first run quicker, and none of these is timed
    if layer != "kernel":
        main.lock_down = lambda memory_mb, reading, writing: {}
    if layer == "parent":
        main.forget_places = main.forget_environment = lambda: None
    if layer != "language":
        for name in _MODULES:
            with suppress(ImportError):
                importlib.import_module(name)
        hardening.harden = lambda torch: None
        runner.Runner = PlainRunner  # type: ignore[misc]
    main.main()
