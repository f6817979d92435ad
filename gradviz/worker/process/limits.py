"""How much one run may use, and how much it uses: processor time and memory of the worker's process (`usage`), and a
clock (`Stopwatch`) that is held while the run waits for a person or for the window, or while the machine sleeps. The
parent measures and enforces (`run`); the worker's own locks are the second fence.

Usage is read without a package on Linux, macOS and Windows. Only the Linux reader has been tested; the other two follow
the systems' documentation (`proc_pid_rusage`, `GetProcessMemoryInfo`). If nothing can be read, the answer is None, and
only wall clock and the worker's own locks limit a run."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MOST_REFUSALS = 100  # per text
MOST_WRITTEN = 100  # files of a run that can be saved
WRITTEN_BYTES = 16_000_000  # for all of them
LONGEST_WRITTEN = 1_000  # characters of a file name
MEMORY_MARGIN_MB = 512  # address space beyond the resident limit: libraries, stacks, arenas


@dataclass(frozen=True)
class Limits:
    """Limits of one run: seconds, megabytes, counts and bytes. A run is limited by processor time; the clock is only
    for what waits for ever, so that a busy computer stops nothing earlier."""

    wall_seconds: float = 600.0
    cpu_seconds: float = 60.0
    idle_seconds: float = 20.0  # on the clock, during which it computes nothing
    memory_mb: int = 1500
    output_chars: int = 1_000_000
    steps: int = 1_000_000
    values_mb: int = 256  # for arrays that are kept whole; the rest are summarized
    recorded_bytes: int = 512_000_000
    message_bytes: int = 256_000_000
    start_seconds: float = 30.0


@dataclass(frozen=True)
class Usage:
    """Resident bytes and processor time in seconds since the process began."""

    resident: int
    cpu_seconds: float


def usage(pid: int) -> Usage | None:
    """Return what process `pid` uses now, or None if it has gone or can't be queried."""
    try:
        if sys.platform.startswith("linux"):
            return _linux(pid)
        if sys.platform == "darwin":
            return _macos(pid)
        if os.name == "nt":
            return _windows(pid)
    except (OSError, ValueError, IndexError, AttributeError):
        return None
    return None


def _linux(pid: int) -> Usage:
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return Usage(int(fields[21]) * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))


def _macos(pid: int) -> Usage | None:
    # rusage_info_v0: 16 bytes of uuid, user, system, 2 counts of wake-ups, pageins, wired, resident, footprint
    buffer = (ctypes.c_uint64 * 64)()
    library = ctypes.CDLL("/usr/lib/libproc.dylib", use_errno=True)
    if library.proc_pid_rusage(pid, 0, ctypes.byref(buffer)):
        return None
    timebase = (ctypes.c_uint32 * 2)(1, 1)  # in ticks of the machine: 1 ns on Intel, 125/3 ns on Apple silicon
    ctypes.CDLL("/usr/lib/libSystem.dylib").mach_timebase_info(ctypes.byref(timebase))
    nanoseconds = (buffer[2] + buffer[3]) * timebase[0] / (timebase[1] or 1)
    return Usage(max(buffer[8], buffer[9]), nanoseconds / 1e9)  # compressed pages count in the footprint only


def _windows(pid: int) -> Usage | None:
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(kernel.OpenProcess(0x1000, False, pid))  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return None
    try:
        counters = (
            ctypes.c_size_t * 10
        )()  # cb and faults share the first word or two; the working set follows the peak
        size = ctypes.sizeof(ctypes.c_uint32) * 2 + ctypes.sizeof(ctypes.c_size_t) * 8
        times = (ctypes.c_uint64 * 4)()  # creation, exit, kernel, user: in units of 100 ns
        parts = [ctypes.byref(times, 8 * index) for index in range(4)]
        read_memory = kernel.K32GetProcessMemoryInfo(handle, ctypes.byref(counters), size)
        if not read_memory or not kernel.GetProcessTimes(handle, *parts):
            return None
        working_set = counters[2] if ctypes.sizeof(ctypes.c_size_t) == 8 else counters[3]
        return Usage(working_set, (times[2] + times[3]) / 1e7)
    finally:
        kernel.CloseHandle(handle)


class Stopwatch:
    """Seconds since its start, without those during which it was held. May be called from any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._holds = 0
        self._restart()

    def _restart(self) -> None:
        self._begun = self._since = self._now()
        self._stood = 0.0

    def restart(self) -> None:
        """Restart at 0; what holds it continues to hold it."""
        with self._lock:
            self._restart()

    @property
    def seconds(self) -> float:
        """Return the seconds."""
        with self._lock:
            return (self._since if self._holds else self._now()) - self._begun - self._stood

    def hold(self) -> None:
        """Stop the clock until each hold is released."""
        with self._lock:
            if not self._holds:
                self._since = self._now()
            self._holds += 1

    def release(self) -> None:
        """Release one hold."""
        with self._lock:
            self._holds -= 1
            if not self._holds:
                self._stood += self._now() - self._since

    @contextmanager
    def held(self) -> Iterator[None]:
        """Context that holds the clock."""
        self.hold()
        try:
            yield
        finally:
            self.release()

    def forgive(self, seconds: float) -> None:
        """Subtract seconds in which nothing can have run."""
        with self._lock:
            if not self._holds:
                self._stood += seconds
