"""Starts a worker's process with the locks that its parent puts on from outside: a Job on Windows, sandbox-exec on
macOS.

On Linux there are none: the worker locks itself (`oslock`). A lock that the system refuses is reported as absent, and
the worker starts without it; one in which a worker could not get ready is not tried again. What starts is in `spawn`,
who reads it in `process`.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gradviz.worker import forkserver, macos, windows
from gradviz.worker.limits import MEMORY_MARGIN_MB, Limits
from gradviz.worker.spawn import worker_command, worker_environment, worker_folders

_given_up: dict[str, str] = {}  # layer -> why it is left out for the rest of this program


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Started:
    """A process with pipes at its standard input and output, the locks that hold it from outside, and what to call
    when it has ended."""

    process: subprocess.Popen[bytes] | forkserver.Forked
    layers: Mapping[str, str]
    release: Callable[[], None] = _nothing


def start(command: Sequence[str] | None, scratch: str, limits: Limits) -> Started:
    """Start a worker, or another `command`, in the folder `scratch` with a clean environment. Where there is a fork
    server, the worker comes from it."""
    if command is None and forkserver.available():
        server = forkserver.the_server()
        forked = server.fork(limits.memory_mb, scratch) if server is not None else None
        if forked is not None:
            return Started(forked, {})
    full = [*(command or worker_command()), f"--memory-mb={limits.memory_mb}"]
    layers: dict[str, str] = {}
    if sys.platform == "darwin":
        full, layers["sandbox"] = in_sandbox(full)
    process = subprocess.Popen(
        full,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=scratch,
        env=worker_environment(scratch),
        bufsize=0,
        start_new_session=True,
        creationflags=windows.NO_WINDOW if os.name == "nt" else 0,
    )
    release = _nothing
    if os.name == "nt":
        release, layers["job"] = in_job(process.pid, limits.memory_mb + MEMORY_MARGIN_MB)
    return Started(process, layers, release)


def not_ready(layers: Mapping[str, str]) -> None:
    """A worker ended by itself before it was ready: the locks put on it from outside may be why, so the next one
    starts without them, and says so."""
    for name, state in layers.items():
        if not state.startswith("absent"):
            _given_up[name] = "absent: a worker did not start in it"


def in_job(
    pid: int, memory_mb: int, system: Callable[[], windows.Windows] = windows.Windows
) -> tuple[Callable[[], None], str]:
    """Put a process that has just started into a Job: what to call when it has ended, and how the layer stands. So far
    it runs nothing but our own code, so that nothing is lost by not starting it suspended."""
    if "job" in _given_up:
        return _nothing, _given_up["job"]
    try:
        release, detail = windows.put_in_job(pid, memory_mb, system())
    except OSError as error:
        return _nothing, f"absent: {error}"
    return release, f"on ({detail})" if detail else "on"


def in_sandbox(command: list[str]) -> tuple[list[str], str]:
    """The command inside sandbox-exec if that works here, and how the layer stands."""
    if "sandbox" in _given_up:
        return command, _given_up["sandbox"]
    prefix, state = _sandbox()
    return [*prefix, *command], state


@functools.cache
def _sandbox() -> tuple[tuple[str, ...], str]:
    try:
        return tuple(macos.sandbox(worker_folders())), "on"
    except OSError as error:
        return (), f"absent: {error}"
