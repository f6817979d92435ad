"""The locks that a worker puts on itself once everything is imported and warm: resource limits, Landlock, seccomp,
audit hook; on Windows those of `windows`.

None needs root or a package. Where the system lacks one, the others still hold, and `lock_down` says which do; the
program shows that list. Order matters: `warm` → `resource_limits` → `landlock` → `no_descriptors` → `seccomp` →
`AuditGate`. After that, on Linux, the process can open nothing, start nothing and connect nowhere; it reads and writes
the descriptors it already has.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradviz.worker import windows

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446  # the same numbers on every architecture
_PR_SET_NO_NEW_PRIVS = 38
_BOUNDED = {
    "CORE": "core dumps", "FSIZE": "written files", "NPROC": "new processes", "CPU": "processor time", "AS": "memory",
}  # fmt: skip
_CPU_BACKSTOP_SECONDS = 3600  # ends a worker whose program is gone; a run's own CPU limit is the parent's business

_SYSCALLS_X86_64 = {
    "read": 0, "write": 1, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
    "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "readv": 19, "writev": 20,
    "select": 23, "sched_yield": 24, "mremap": 25, "madvise": 28, "nanosleep": 35, "setitimer": 38, "getpid": 39,
    "exit": 60, "getrusage": 98, "sysinfo": 99, "getppid": 110, "sigaltstack": 131, "gettid": 186, "futex": 202,
    "sched_getaffinity": 204, "restart_syscall": 219, "clock_gettime": 228, "clock_nanosleep": 230, "exit_group": 231,
    "tgkill": 234, "newfstatat": 262, "ppoll": 271, "getrandom": 318, "rseq": 334,
}  # fmt: skip
_SYSCALLS_AARCH64 = {
    "close": 57, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "ppoll": 73,
    "newfstatat": 79, "fstat": 80, "exit": 93, "exit_group": 94, "futex": 98, "nanosleep": 101, "setitimer": 103,
    "clock_gettime": 113, "clock_nanosleep": 115, "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128,
    "tgkill": 131, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
    "getrusage": 165, "getpid": 172, "getppid": 173, "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215,
    "mremap": 216, "mmap": 222, "mprotect": 226, "madvise": 233, "getrandom": 278, "rseq": 293,
}  # fmt: skip
_MACHINES: dict[str, tuple[int, int, dict[str, int]]] = {  # audit number, number of seccomp(2), what is allowed
    "x86_64": (0xC000003E, 317, _SYSCALLS_X86_64),
    "aarch64": (0xC00000B7, 277, _SYSCALLS_AARCH64),
}


class LockUnavailable(Exception):
    """This system does not offer the lock; the message says why."""


def lock_down(memory_mb: int) -> dict[str, str]:
    """Apply every lock that this system has; returns layer -> "on", "on (…)" or "absent: reason"."""
    if os.name == "nt":
        system = windows.Windows()
        return {
            "low integrity": _attempt(lambda: windows.lower_integrity(system)),
            "mitigations": _attempt(lambda: windows.mitigate(system)),
        }
    layers = {"limits": _attempt(lambda: resource_limits(memory_mb))}
    if sys.platform.startswith("linux"):
        layers["landlock"] = _attempt(landlock)
    layers["descriptors"] = _attempt(no_descriptors)
    if sys.platform.startswith("linux"):
        layers["seccomp"] = _attempt(seccomp)
    return layers


def _attempt(lock: Any) -> str:
    try:
        detail = lock()
    except (LockUnavailable, OSError, ImportError) as error:
        return f"absent: {error}"
    return f"on ({detail})" if detail else "on"


def resource_limits(memory_mb: int) -> str:
    """No new processes, no written files, no core dump, bounded address space (Linux) and CPU time."""
    import resource

    wanted = {"CORE": 0, "FSIZE": 0, "NPROC": 0, "CPU": _CPU_BACKSTOP_SECONDS}
    if sys.platform.startswith("linux"):  # elsewhere it is not enforced, and the parent watches the resident size
        wanted["AS"] = memory_mb << 20
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
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    except ValueError as error:
        raise LockUnavailable(str(error)) from None
    return ""


# --- seccomp: a small BPF program over the number of each system call ---

_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _DENY, _ALLOW = 0x80000000, 0x00050001, 0x7FFF0000  # DENY: the call fails with EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENT_0, _ARGUMENT_2 = 0, 4, 16, 32
_PROT_EXEC = 4

Instruction = tuple[int, int, int, int]


def filter_program(machine: str, pid: int) -> list[Instruction]:
    """The seccomp program: allowed calls only; no executable memory; signals to oneself only."""
    audit, _, table = _MACHINES[machine]
    program: list[Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE), (_JUMP_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL)]
    program.append((_LOAD, 0, 0, _NUMBER))
    if machine == "x86_64":  # the x32 numbers are another door to the same calls
        program += [(_JUMP_GREATER_EQUAL, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]
    for name in ("mmap", "mprotect"):
        program += [
            (_JUMP_EQUAL, 0, 4, table[name]),
            (_LOAD, 0, 0, _ARGUMENT_2),
            (_JUMP_SET, 0, 1, _PROT_EXEC),
            (_RETURN, 0, 0, _DENY),
            (_RETURN, 0, 0, _ALLOW),
        ]
    program += [
        (_JUMP_EQUAL, 0, 4, table["tgkill"]),
        (_LOAD, 0, 0, _ARGUMENT_0),
        (_JUMP_EQUAL, 1, 0, pid),
        (_RETURN, 0, 0, _DENY),
        (_RETURN, 0, 0, _ALLOW),
    ]
    plain = sorted(number for name, number in table.items() if name not in ("mmap", "mprotect", "tgkill"))
    program += [(_JUMP_EQUAL, len(plain) - index, 0, number) for index, number in enumerate(plain)]
    return [*program, (_RETURN, 0, 0, _DENY), (_RETURN, 0, 0, _ALLOW)]


def seccomp() -> str:
    """Allow about forty system calls, for every thread of this process; the rest fail with EPERM."""
    machine = platform.machine()
    if machine not in _MACHINES:
        raise LockUnavailable(f"no table of system calls for {machine}")
    libc = _libc()
    program = filter_program(machine, os.getpid())
    raw = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    descriptor = struct.pack("HxxxxxxP", len(program), ctypes.addressof(raw))
    _no_new_privileges(libc)
    if libc.syscall(_MACHINES[machine][1], 1, 1, ctypes.c_char_p(descriptor)):  # SET_MODE_FILTER, TSYNC
        raise LockUnavailable("the kernel refused the seccomp filter")
    return f"{len(_MACHINES[machine][2])} calls"


# --- the audit hook: a hurdle on every system, the only one besides the language on Windows ---

_HARMLESS = frozenset(  # "compile" makes code of a type hint in quotation marks; running code is "exec"
    {"builtins.id", "array.__new__", "compile", "sys._getframe", "time.sleep", "sys.unraisablehook", "sys.excepthook"}
)

# The recorder asks which frame is the snippet's, the engine for the signatures of its formulas; no snippet can
# spell these names, and reading changes nothing.
_READABLE = frozenset({"f_code", "__code__", "__defaults__", "__kwdefaults__"})


class AuditGate:
    """Refuses every audited act (open, exec, import from disk, sockets, frames, `__globals__`) while a snippet runs.

    `open()` lets the worker's own code work between runs; a hook can't be removed, by the snippet least of all.
    """

    def __init__(self) -> None:
        state = [True]
        self._state = state
        modules = sys.modules

        def hook(
            event: str,
            arguments: tuple[Any, ...],
            state: list[bool] = state,
            harmless: frozenset[str] = _HARMLESS,
            readable: frozenset[str] = _READABLE,
            modules: dict[str, Any] = modules,
            error: type[Exception] = PermissionError,
        ) -> None:
            if state[0] or event in harmless or (event == "import" and arguments[0] in modules):
                return
            if event == "object.__getattr__" and arguments[1] in readable:
                return
            if event == "object.__setattr__" and arguments[1] == "__class__":
                return  # a lazy layer of the engine becomes what it stands for
            raise error(f"not available in GradViz snippets: {event}")

        sys.addaudithook(hook)

    def open(self) -> None:
        """Let everything pass: the worker's own code runs."""
        self._state[0] = True

    def close(self) -> None:
        """Refuse: a snippet runs."""
        self._state[0] = False

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Let the standard library do what is refused, for one call that runs no code of the snippet."""
        before, self._state[0] = self._state[0], True
        try:
            yield
        finally:
            self._state[0] = before
