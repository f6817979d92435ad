"""Starts a worker's process with the locks that its parent puts on from outside: a Job on Windows, sandbox-exec on
macOS.

On Linux there are none: the worker locks itself (`oslock`). A lock that the system refuses is reported as absent, and
the worker starts without it. What starts is in `spawn`, who reads it in `process`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradviz.worker.limits import Limits


@dataclass(frozen=True)
class Started:
    """A process with pipes at its standard input and output, and the locks that hold it from outside."""

    process: subprocess.Popen[bytes]
    layers: Mapping[str, str]


def start(command: Sequence[str], scratch: str, environment: Mapping[str, str], limits: Limits) -> Started:
    """Start `command` in the folder `scratch` with nothing but this environment."""
    process = subprocess.Popen(
        [*command, f"--memory-mb={limits.memory_mb}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=scratch,
        env=dict(environment),
        bufsize=0,
        start_new_session=True,
    )
    return Started(process, {})
