"""Every step of writing a file as one that may fail: the calls to the system that `document.disk` and its callers make
are counted, and at a chosen one the process dies or the system says no. Half of what is written has then arrived."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from typing import IO, Any

CALLS = ("open", "mkdir", "scandir", "fsync", "chmod", "replace", "close", "unlink", "write")

WRITES = os.O_WRONLY | os.O_RDWR


class Steps:
    """Counts the steps, and at number `fatal` (from 0) calls `fail`."""

    def __init__(self, fatal: int, fail: Callable[[str], None]) -> None:
        self.done: list[str] = []
        self._fatal = fatal
        self._fail = fail

    def step(self, name: str) -> None:
        """One more; does not come back if the process dies here."""
        self.done.append(name)
        if len(self.done) - 1 == self._fatal:
            self._fail(name)

    @contextlib.contextmanager
    def watched(self) -> Iterator[Steps]:
        """While the block runs, these calls are steps."""
        originals: dict[str, Any] = {name: getattr(os, name) for name in (*CALLS, "fdopen")}

        def wrapped(name: str) -> Callable[..., Any]:
            original = originals[name]

            def call(*arguments: Any, **keywords: Any) -> Any:
                if name == "write":
                    self._halves(lambda data: original(arguments[0], data), arguments[1])
                    return len(arguments[1])
                if name != "open" or arguments[1] & WRITES:
                    self.step(name)
                return original(*arguments, **keywords)

            return call

        def fdopen(handle: int, mode: str) -> IO[bytes]:
            file: IO[bytes] = originals["fdopen"](handle, mode, buffering=0)
            return _File(file, self)  # type: ignore[return-value]

        for name in CALLS:
            setattr(os, name, wrapped(name))
        os.fdopen = fdopen  # type: ignore[assignment]
        try:
            yield self
        finally:
            for name, original in originals.items():
                setattr(os, name, original)

    def _halves(self, write: Callable[[bytes], object], data: bytes) -> None:
        self.step("write nothing")
        write(data[: len(data) // 2])
        self.step("write half")
        write(data[len(data) // 2 :])


class _File:
    """An unbuffered file whose writes are steps."""

    def __init__(self, file: IO[bytes], steps: Steps) -> None:
        self._file = file
        self._steps = steps

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: bytes) -> int:
        """In two halves."""
        self._steps._halves(self._file.write, data)
        return len(data)

    def flush(self) -> None:
        self._steps.step("flush")
        self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()


def no_room(_: str) -> None:
    """The disk is full."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def dies(_: str) -> None:
    """As after `kill -9`: nothing is cleaned up, no buffer is written."""
    os._exit(9)
