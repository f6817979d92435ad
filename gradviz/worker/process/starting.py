"""Starts a worker's process with the locks that its parent applies from outside: a Job and a restricted token on
Windows, sandbox-exec on macOS.

On Linux there are none: the worker locks itself (`oslock`). A lock that the system refuses is reported as absent, and
the worker starts without it; one in which a worker could not get ready is not tried again. The command is in `spawn`,
the reader in `worker_process`."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gradviz.worker.locks import macos, windows
from gradviz.worker.process import forkserver, windows_process
from gradviz.worker.process.limits import MEMORY_MARGIN_MB, Limits
from gradviz.worker.process.spawn import search_folders, worker_command, worker_environment, worker_folders

_TO_GIVE_UP = ("restricted token", "sandbox", "job")  # given up in this order if a worker does not start
_DID_NOT_START = "absent: a worker did not start in it"
_given_up: dict[str, str] = {}  # layer -> why it is left out while this program runs
_profiles = list(macos.PROFILES)  # for sandbox-exec, those that may still work


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Started:
    """A process with pipes as its standard input and output, the locks that hold it from outside, and what to call when
    it has ended."""

    process: subprocess.Popen[bytes] | forkserver.Forked | windows_process.Child
    layers: Mapping[str, str]
    release: Callable[[], None] = _nothing


def prepare() -> None:
    """Start the fork server, which all workers come from, unless it runs already."""
    if forkserver.available():
        forkserver.the_server()


def start(command: Sequence[str] | None, scratch: str, limits: Limits, ahead: bool = True) -> Started:
    """Start a worker, or another `command`, in the folder `scratch` with a clean environment. If there is a fork
    server, the worker comes from it, `ahead` of a run or for one that waits."""
    if command is None and forkserver.available():
        server = forkserver.the_server()
        forked = server.fork(limits.memory_mb, scratch, ahead) if server is not None else None
        if forked is not None:
            return Started(forked, {})
    full = [*(command or worker_command()), f"--memory-mb={limits.memory_mb}"]
    if os.name == "nt":
        return start_on_windows(full, scratch, limits.memory_mb + MEMORY_MARGIN_MB)
    layers: dict[str, str] = {}
    if sys.platform == "darwin":
        full, layers["sandbox"] = in_sandbox(full)
    return Started(_plainly(full, scratch), layers)


def _plainly(command: Sequence[str], scratch: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=scratch,
        env=worker_environment(scratch),
        bufsize=0,
        start_new_session=True,
        creationflags=windows.NO_WINDOW if os.name == "nt" else 0,
    )


def not_ready(layers: Mapping[str, str]) -> None:
    """Called if a worker did not get ready: the locks applied from outside may be why, so the next one starts without
    the first of them, or with a laxer profile, and says so."""
    for name in _TO_GIVE_UP:
        if layers.get(name, "absent").startswith("absent"):
            continue
        if name == "sandbox":
            _give_up_profile(_DID_NOT_START)
        else:
            _given_up[name] = _DID_NOT_START
        return


def start_on_windows(
    command: list[str],
    scratch: str,
    memory_mb: int,
    system: Callable[[], windows.Windows] = windows.Windows,
    handle_of: windows_process.HandleOf | None = None,
) -> Started:
    """Start it suspended, with a token to which nothing is granted and in a Job; without what Windows refuses."""
    calls, layers = system(), {}
    tokens, layers["restricted token"] = _made("restricted token", lambda: windows_process.make_tokens(calls))
    job, layers["job"] = _made("job", lambda: windows.make_job(memory_mb, calls))
    environment = worker_environment(scratch)
    child: windows_process.Child | None = None
    while child is None:
        try:
            child = windows_process.start(command, scratch, environment, job, tokens, calls, handle_of or _osf_handle)
        except windows_process.Refused as refusal:
            layers[refusal.layer] = f"absent: {refusal}"
            if refusal.layer == "job":
                _close(job)
                job = None
            else:
                _close(tokens)
                tokens = None
        except OSError as error:
            _close(tokens)
            return _started_late(command, scratch, job, {**layers, "restricted token": f"absent: {error}"})
    _close(tokens)
    return Started(child, layers, functools.partial(_release, child, job))


def _started_late(command: list[str], scratch: str, job: windows.Job | None, layers: dict[str, str]) -> Started:
    """Start it with `subprocess`, then put it into the Job: until then it only runs our own code."""
    process = _plainly(command, scratch)
    if job is not None:
        try:
            windows.put_in_job(process.pid, job)
        except OSError as error:
            layers["job"] = f"absent: {error}"
            job.close()
            job = None
    return Started(process, layers, _nothing if job is None else job.close)


Lock = TypeVar("Lock", windows.Job, windows_process.Tokens)


def _made(layer: str, make: Callable[[], Lock]) -> tuple[Lock | None, str]:
    """Return the lock, None if it was given up or Windows refuses it; and the layer's state."""
    if layer in _given_up:
        return None, _given_up[layer]
    try:
        made = make()
    except OSError as error:
        return None, f"absent: {error}"
    return made, f"on ({made.detail})" if made.detail else "on"


def _close(lock: windows.Job | windows_process.Tokens | None) -> None:
    if lock is not None:
        lock.close()


def _release(child: windows_process.Child, job: windows.Job | None) -> None:
    child.close()
    _close(job)


def _osf_handle(descriptor: int) -> int:
    import msvcrt

    return msvcrt.get_osfhandle(descriptor)  # type: ignore[attr-defined,no-any-return,unused-ignore]


def in_sandbox(command: list[str]) -> tuple[list[str], str]:
    """Return the command inside sandbox-exec if that works here, with the strictest working profile, and the layer's
    state."""
    while _profiles:
        try:
            return [*_sandbox(_profiles[0]), *command], _profiles[0].state
        except OSError as error:
            _give_up_profile(f"absent: {error}")
    return command, _given_up["sandbox"]


def _give_up_profile(why: str) -> None:
    del _profiles[:1]
    _given_up["sandbox"] = why


@functools.cache
def _sandbox(profile: macos.Profile) -> tuple[str, ...]:
    return tuple(macos.sandbox(profile, worker_folders(), search_folders()))
