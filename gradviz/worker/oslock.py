"""The locks that a worker puts on itself once everything is imported and warm: resource limits, Landlock, seccomp,
audit hook; on Windows those of `windows`.

None needs root or a package. Where the system lacks one, the others still hold, and `lock_down` says which do; the
program shows that list. Order matters: `warm` → `resource_limits` → `landlock` → `no_descriptors` → `seccomp` →
`AuditGate`. After that, on Linux, the process can open nothing, start nothing and connect nowhere; it reads from the
program and writes to it, computes, and asks for the time.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from typing import Any

from gradviz.worker import trial, windows
from gradviz.worker.seccomp import ARCHITECTURES, calls, filter_program

if os.name != "nt":
    import resource  # now: nothing can be imported when the locks close

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446  # the same numbers on every architecture
_PR_SET_NO_NEW_PRIVS = 38
_BOUNDED = {
    "CORE": "core dumps", "FSIZE": "written files", "NPROC": "new processes", "CPU": "processor time", "AS": "memory",
}  # fmt: skip
_CPU_BACKSTOP_SECONDS = 3600  # ends a worker whose program is gone; a run's own CPU limit is the parent's business


class LockUnavailable(Exception):
    """This system does not offer the lock; the message says why."""


def lock_down(memory_mb: int, reading: int, writing: int) -> dict[str, str]:
    """Apply every lock that this system has, to a process whose pipe is these two descriptors; returns layer -> "on",
    "on (…)" or "absent: reason"."""
    trial.get_ready()
    if os.name == "nt":
        system = windows.Windows()
        return {
            "low integrity": _attempt(lambda: windows.lower_integrity(system)),
            "restricted token": _attempt(lambda: windows.give_up_start(system)),
            "mitigations": _attempt(lambda: windows.mitigate(system)),
            "trial": _attempt(trial.try_out),
        }
    layers = {"limits": _attempt(lambda: resource_limits(memory_mb))}
    if sys.platform.startswith("linux"):
        layers["landlock"] = _attempt(landlock)
    layers["descriptors"] = _attempt(no_descriptors)
    if sys.platform.startswith("linux"):
        layers["seccomp"] = _attempt(lambda: seccomp(reading, writing))
    layers["trial"] = _attempt(trial.try_out)
    return layers


def _attempt(lock: Any) -> str:
    try:
        detail = lock()
    except (LockUnavailable, OSError, ImportError) as error:
        return f"absent: {error}"
    return f"on ({detail})" if detail else "on"


def resource_limits(memory_mb: int) -> str:
    """No new processes, no written files, no core dump, bounded address space (Linux) and CPU time."""
    wanted = {"CORE": 0, "FSIZE": 0, "NPROC": 0, "CPU": _CPU_BACKSTOP_SECONDS}
    if sys.platform.startswith("linux"):
        wanted["AS"] = memory_mb << 20  # elsewhere it is not enforced, and the parent watches the resident size
        wanted["CORE"] = 1  # byte; 0 would count for files only, and not where the system hands dumps to a program
    refused = []
    for name, value in wanted.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        except (AttributeError, ValueError, OSError):
            refused.append(name)
    if sys.platform.startswith("linux") and os.geteuid() == 0 and "NPROC" not in refused:
        refused.append("NPROC")  # the kernel does not count the processes of root
    return f"not on {', '.join(_BOUNDED[name] for name in refused)}" if refused else ""


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _no_new_privileges(libc: ctypes.CDLL) -> None:
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise LockUnavailable("no_new_privs was refused")


def landlock() -> str:
    """A Landlock domain without a single rule: no path, no TCP, no abstract socket, no signal to others."""
    libc = _libc()
    abi = libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if abi < 1:
        raise LockUnavailable("the kernel has no Landlock")
    files = (1 << 13) - 1
    files |= sum(1 << bit for bit, since in ((13, 2), (14, 3), (15, 5)) if abi >= since)
    fields = [files, *([3] if abi >= 4 else []), *([3] if abi >= 6 else [])]  # then network, then scopes
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    ruleset = libc.syscall(
        _LANDLOCK_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    )
    if ruleset < 0:
        raise LockUnavailable("the kernel refused a Landlock ruleset")
    try:
        _no_new_privileges(libc)
        if libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0):
            raise LockUnavailable("the kernel refused to apply Landlock")
    finally:
        os.close(ruleset)
    return f"ABI {abi}"


def no_descriptors() -> str:
    """No descriptor more: whatever would open a file, a pipe or a socket fails, also where there is no Landlock."""
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    except ValueError as error:
        raise LockUnavailable(str(error)) from None
    return ""


def seccomp(reading: int, writing: int) -> str:
    """Allow what `seccomp.calls` lists, for every thread of this process; the rest fail with EPERM."""
    machine = os.uname().machine  # `platform` would keep the computer's name, too
    if machine not in ARCHITECTURES:
        raise LockUnavailable(f"no table of system calls for {machine}")
    libc = _libc()
    allowed = calls(reading, writing)
    program = filter_program(machine, allowed)
    raw = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    descriptor = struct.pack("HxxxxxxP", len(program), ctypes.addressof(raw))
    _no_new_privileges(libc)
    if libc.syscall(ARCHITECTURES[machine][1], 1, 1, ctypes.c_char_p(descriptor)):  # SET_MODE_FILTER, TSYNC
        raise LockUnavailable("the kernel refused the seccomp filter")
    return f"{len(allowed)} calls"
