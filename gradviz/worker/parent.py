"""Whether the program that started this process still runs, asked many times a second.

On POSIX an orphan gets another parent. On Windows a process keeps the number of a parent that is long gone, so a
handle is opened once, before the locks close.
"""

from __future__ import annotations

import os
from collections.abc import Callable

_SYNCHRONIZE, _ENDED = 0x0010_0000, 0  # the right to wait for a process; WAIT_OBJECT_0


def parent_watch() -> Callable[[], bool]:
    """A function that says whether the parent is gone."""
    parent = os.getppid()
    if os.name != "nt":
        return lambda: os.getppid() != parent
    import _winapi  # what subprocess uses; its calls by ctypes would have to be declared again

    try:
        handle = _winapi.OpenProcess(_SYNCHRONIZE, False, parent)  # type: ignore[attr-defined,unused-ignore]
    except OSError:  # then the Job ends this process, or the pipe that closes
        return lambda: False
    wait = _winapi.WaitForSingleObject  # type: ignore[attr-defined,unused-ignore]
    return lambda: bool(wait(handle, 0) == _ENDED)
