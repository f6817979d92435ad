"""The locks that a worker applies to itself once everything is imported and warm: resource limits, Landlock, seccomp,
audit hook; on Windows those of `windows`.

None needs root or a package. If the system lacks one, the others still hold, and `lock_down` says which do; the program
shows that list. The order matters: `warm` → `resource_limits` → `landlock` → `no_descriptors` → `seccomp` →
`AuditGate`. After that, on Linux, the process can open nothing, start nothing and connect nowhere; it reads from the
program and writes to it, computes, and asks for the time. What a worker then tries is in `trial`."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gradviz.worker.locks import trial, windows

# --- the system calls that a warm worker makes, with the allowed values of each argument ---

# The table was made from the calls of workers over all programs and examples of the tests; whatever is not in it fails
# with EPERM. No call in it takes a path, so a worker can't even ask whether a file exists or how large it is:
# `stat` by descriptor is missing, too, because `newfstatat` with AT_EMPTY_PATH still follows a path that is not empty,
# and a filter can't read memory. Calls of another architecture (32 bits, x32) end the process.


# machine -> audit number of the architecture, number of seccomp(2)
ARCHITECTURES = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}

_WORD = 0xFFFFFFFF
_ANONYMOUS_PRIVATE, _NO_RESERVE, _READ_WRITE = 0x22, 0x4000, 0x3
_MAY_MOVE = 0x1
_DONT_NEED, _FREE, _HUGE_PAGES = 4, 8, 14
_FUTEX_PRIVATE, _FUTEX_CLOCK = 128, 256
_WAIT_AND_WAKE = (0, 1, 9, 10)  # and the variants with a flag set
_CLOCKS = range(12)  # the system's; greater numbers are clocks of processes, including others
_STANDARD_ERROR = 2


@dataclass(frozen=True)
class Check:
    """The values that the lower 32 bits of an argument, without those in `free`, may have."""

    argument: int
    among: Sequence[int]
    free: int = 0


@dataclass(frozen=True)
class Call:
    """An allowed system call: its numbers on x86-64 and aarch64, and the checks of its arguments."""

    x86_64: int
    aarch64: int
    checks: tuple[Check, ...] = ()


def calls(reading: int, writing: int) -> dict[str, Call]:
    """Return all allowed calls, for a worker whose pipe to the program is these two descriptors."""
    clock = (Check(0, _CLOCKS),)
    return {
        "read": Call(0, 63, (Check(0, (reading,)),)),
        "write": Call(1, 64, (Check(0, (writing, _STANDARD_ERROR)),)),  # the latter is the null device
        "mmap": Call(9, 222, (Check(2, (0,), free=_READ_WRITE), Check(3, (_ANONYMOUS_PRIVATE,), free=_NO_RESERVE))),
        "munmap": Call(11, 215),
        "brk": Call(12, 214),
        "mremap": Call(25, 216, (Check(3, (0,), free=_MAY_MOVE),)),
        "madvise": Call(28, 233, (Check(2, (_DONT_NEED, _FREE, _HUGE_PAGES)),)),
        "rt_sigreturn": Call(15, 139),
        "setitimer": Call(38, 103, (Check(0, (0,)),)),  # for real time: used by the ticker
        "getppid": Call(110, 173),
        "futex": Call(202, 98, (Check(1, _WAIT_AND_WAKE, free=_FUTEX_PRIVATE | _FUTEX_CLOCK),)),
        "restart_syscall": Call(219, 128),
        "clock_gettime": Call(228, 113, clock),
        "clock_nanosleep": Call(230, 115, clock),
        "exit_group": Call(231, 94),
        "getrandom": Call(318, 278),
    }


# --- the filter: a classic BPF program over the number and the arguments of a call ---

LOAD, AND, JUMP_EQUAL, JUMP_GREATER_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
KILL, DENY, ALLOW = 0x80000000, 0x00050001, 0x7FFF0000  # DENY: the call fails with EPERM
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in seccomp_data; an argument has 8 bytes
_X32 = 0x40000000

Instruction = tuple[int, int, int, int]  # operation, jump if true, jump if false, value


def filter_program(machine: str, allowed: dict[str, Call]) -> list[Instruction]:
    """Return the filter for a machine of `ARCHITECTURES`."""
    program: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, ARCHITECTURES[machine][0]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":  # the x32 numbers are another way to the same calls
        program += [(JUMP_GREATER_EQUAL, 0, 1, _X32), (RETURN, 0, 0, KILL)]
    for call in allowed.values():
        checked = [step for check in call.checks for step in _checked(check)]
        program.append((JUMP_EQUAL, 0, len(checked) + 1, getattr(call, machine)))
        program += [*checked, (RETURN, 0, 0, ALLOW)]
    return [*program, (RETURN, 0, 0, DENY)]


def _checked(check: Check) -> list[Instruction]:
    """Return a check that falls through if the argument is one of those, and denies otherwise."""
    load: list[Instruction] = [(LOAD, 0, 0, ARGUMENTS + 8 * check.argument)]
    if check.free:
        load.append((AND, 0, 0, _WORD & ~check.free))
    last = len(check.among)
    compare = [(JUMP_EQUAL, last - index, 0, value) for index, value in enumerate(check.among)]
    return [*load, *compare, (RETURN, 0, 0, DENY)]


# --- the locks ---

if os.name != "nt":
    import resource  # now, because nothing can be imported when the locks close

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446  # the same numbers on every architecture
_PR_SET_NO_NEW_PRIVS = 38
_BOUNDED = {
    "CORE": "core dumps", "FSIZE": "written files", "NPROC": "new processes", "CPU": "processor time", "AS": "memory",
}  # fmt: skip
_CPU_BACKSTOP_SECONDS = 3600  # ends a worker whose program has gone; the parent enforces a run's own CPU limit


class LockUnavailable(Exception):
    """This system does not offer the lock; the message says why."""


def lock_down(memory_mb: int, reading: int, writing: int) -> dict[str, str]:
    """Apply every lock that this system has to a process whose pipe is these two descriptors; return layer -> "on", "on
    (…)" or "absent: reason"."""
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


def _attempt(lock: Callable[..., object]) -> str:
    try:
        detail = lock()
    except (LockUnavailable, OSError, ImportError) as error:
        return f"absent: {error}"
    return f"on ({detail})" if detail else "on"


def resource_limits(memory_mb: int) -> str:
    """Limit resources: no new processes, no written files, no core dump, bounded address space (Linux) and CPU time."""
    wanted = {"CORE": 0, "FSIZE": 0, "NPROC": 0, "CPU": _CPU_BACKSTOP_SECONDS}
    if sys.platform.startswith("linux"):
        wanted["AS"] = memory_mb << 20  # not enforced elsewhere, so the parent watches the resident size
        wanted["CORE"] = 1  # byte; 0 would apply to files only, not where the system pipes dumps to a program
    refused = []
    for name, value in wanted.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        except (AttributeError, ValueError, OSError):
            refused.append(name)
    if sys.platform.startswith("linux") and os.geteuid() == 0 and "NPROC" not in refused:
        refused.append("NPROC")  # the kernel does not count root's processes
    return f"not on {', '.join(_BOUNDED[name] for name in refused)}" if refused else ""


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _no_new_privileges(libc: ctypes.CDLL) -> None:
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise LockUnavailable("no_new_privs was refused")


def landlock() -> str:
    """Enter a Landlock domain without a single rule: no path, no TCP, no abstract socket, no signal to others."""
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
    """Allow no further descriptor: whatever would open a file, a pipe or a socket fails, also without Landlock."""
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    except ValueError as error:
        raise LockUnavailable(str(error)) from None
    return ""


def seccomp(reading: int, writing: int) -> str:
    """Allow what `calls` lists, for every thread of this process; everything else fails with EPERM."""
    machine = os.uname().machine  # `platform` would also keep the computer's name
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
