"""`gradviz …` for tests: in this process, where the modules and the fork server are warm, or in one of its own, which a
test takes where the process itself counts: signals, pipes, what is imported, Qt."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from gradviz.__main__ import main
from gradviz.classroom import classroom
from gradviz.worker.process import client

Ended = subprocess.CompletedProcess[str]


def gradviz(*arguments: object, cwd: Path | None = None) -> Ended:
    """Carry out a command line here; the streams are bytes below, as those of a process are."""
    command = ["gradviz", *map(str, arguments)]
    output, errors = _stream(), _stream()
    classroom.cache_clear()
    try:
        with (
            mock.patch.object(sys, "argv", command),
            mock.patch.object(sys, "stdout", output),
            mock.patch.object(sys, "stderr", errors),
            mock.patch.object(client, "close_server"),  # it serves the next one, too
            _working_in(cwd),
        ):
            status = _status_of_main()
    finally:
        classroom.cache_clear()
    return Ended(command, status, _text_of(output), _text_of(errors))


def gradviz_process(*arguments: object, cwd: Path | None = None, typed: str | None = None) -> Ended:
    """The same in a process of its own, which reads what is typed."""
    command = [sys.executable, "-m", "gradviz", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=300, cwd=cwd, input=typed, check=False
    )


def _status_of_main() -> int:
    try:
        return main()
    except SystemExit as ended:  # argparse, of arguments that are wrong or ask for help
        return ended.code if isinstance(ended.code, int) else 1


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


@contextlib.contextmanager
def _working_in(folder: Path | None) -> Iterator[None]:
    if folder is None:
        yield
        return
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
