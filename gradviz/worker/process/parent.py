"""Whether the program that started this process still runs, asked many times a second; and what ends this process with
the program while nothing can ask.

On POSIX an orphan gets another parent. On Windows a process keeps the number of a parent that has long gone, so a
handle is opened once, before the locks close."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PR_SET_PDEATHSIG = 1
_THREADS = "/proc/self/task"  # Linux only
_SYNCHRONIZE, _ENDED = 0x0010_0000, 0  # the right to wait for a process; WAIT_OBJECT_0


def parent_watch() -> Callable[[], bool]:
    """Return a function that says whether the parent has gone."""
    parent = os.getppid()
    if os.name != "nt":
        return lambda: os.getppid() != parent
    import _winapi  # subprocess uses it; ctypes would need the calls to be declared again

    try:
        handle = _winapi.OpenProcess(_SYNCHRONIZE, False, parent)  # type: ignore[attr-defined,unused-ignore]
    except OSError:  # then the Job ends this process, or the closing pipe does
        return lambda: False
    wait = _winapi.WaitForSingleObject  # type: ignore[attr-defined,unused-ignore]
    return lambda: bool(wait(handle, 0) == _ENDED)


@contextmanager
def ended_with(descriptor: int, before: Callable[[], None]) -> Iterator[None]:
    """Context in which this process ends when the program closes its end of this pipe or socket; `before` is called
    first. A thread watches it and has ended at the end of the block. Windows can't wait like this; there the Job ends
    the process."""
    if not hasattr(select, "poll"):
        yield
        return
    over, end = os.pipe()
    thread = threading.Thread(target=_watch, args=(descriptor, over, before), name="gradviz-parent", daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.close(end)
        thread.join()
        _wait_until_alone()
        os.close(over)


def _wait_until_alone() -> None:
    """Wait until no other thread exists. A thread that was joined has run its last line, but the kernel may not have
    ended it yet; locks that are set on this thread, and a fork, should meet no other. Gives up after a second."""
    deadline = time.monotonic() + 1
    while os.path.isdir(_THREADS) and len(os.listdir(_THREADS)) > 1 and time.monotonic() < deadline:
        time.sleep(0.001)


def _watch(descriptor: int, over: int, before: Callable[[], None]) -> None:
    poll = select.poll()
    for one in (descriptor, over):
        poll.register(one, 0)  # only the event that the other end is closed
    ended = {found for found, _ in poll.poll()}
    if over not in ended:
        before()
        os._exit(0)


def end_with_parent(parent: int) -> None:
    """From now on the kernel (Linux) kills this process when its parent ends, whatever it computes. Only for the child
    of a thread that lives as long as its process, because the end of the thread that started it is what counts."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)
