"""Starts a worker's process with the locks that its parent puts on from outside: a Job on Windows, sandbox-exec on
macOS.

On Linux there are none: the worker locks itself (`oslock`). A lock that the system refuses is reported as absent, and
the worker starts without it. What starts is in `spawn`, who reads it in `process`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradviz.worker import forkserver
from gradviz.worker.limits import Limits
from gradviz.worker.spawn import worker_command, worker_environment


@dataclass(frozen=True)
class Started:
    """A process with pipes at its standard input and output, and the locks that hold it from outside."""

    process: subprocess.Popen[bytes] | forkserver.Forked
    layers: Mapping[str, str]


def start(command: Sequence[str] | None, scratch: str, limits: Limits) -> Started:
    """Start a worker, or another `command`, in the folder `scratch` with a clean environment. Where there is a fork
    server, the worker comes from it."""
    if command is None and forkserver.available():
        server = forkserver.the_server(worker_command(), worker_environment("/"))
        forked = server.fork(limits.memory_mb, scratch) if server is not None else None
        if forked is not None:
            return Started(forked, {})
    process = subprocess.Popen(
        [*(command or worker_command()), f"--memory-mb={limits.memory_mb}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=scratch,
        env=worker_environment(scratch),
        bufsize=0,
        start_new_session=True,
    )
    return Started(process, {})
