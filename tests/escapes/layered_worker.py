"""A worker in which only some layers hold, for measuring what each contains: `language`, `kernel`, or `parent`, where
nothing does but the program's own clock and limits. It belongs to the tests; the shipped worker has no such choice.

Started as `python -c "…main('kernel')"` by `harness`, with the arguments of a worker.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gradviz.worker import hardening, main, oslock, runner, torch_modules

# What attacks import is there already: a lock that only kept a module from being loaded would not have been tried.
_MODULES = """
asyncio atexit codecs concurrent.futures.process copy ctypes faulthandler fileinput gc getpass glob
http.client importlib.machinery linecache logging marshal mmap multiprocessing.popen_fork pathlib pickle pty
pwd resource runpy shelve shutil signal socket sqlite3 subprocess tempfile threading tokenize urllib.request
zipfile
""".split()


class NoGate:
    """An audit gate that refuses nothing."""

    def open(self) -> None:
        """Nothing was closed."""

    close = open

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Nothing was closed."""
        yield


class PlainRunner(runner.Runner):
    """Runs a snippet as Python does, without the language's policy: with Python's own builtins and modules, NumPy
    itself, and `gradviz.torch` as torch."""

    def _run(self, source: str, filename: str, *more: Any) -> dict[str, Any]:
        for name, module in torch_modules.load_torch().items():
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
    oslock.AuditGate = NoGate  # type: ignore[assignment,misc]
    if layer != "kernel":
        main.lock_down = lambda memory_mb: {}
    if layer != "language":
        for name in _MODULES:
            with suppress(ImportError):
                importlib.import_module(name)
        hardening.harden = lambda torch: None
        runner.Runner = PlainRunner  # type: ignore[misc]
    main.main()
