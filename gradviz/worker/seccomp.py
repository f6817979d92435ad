"""The system calls that a warm worker makes, with what each argument may be, as a filter for the kernel (seccomp).

The table was made from what workers called over all programs and examples of the tests; whatever is not in it fails
with EPERM. No call in it takes a path, so that a worker can't even ask whether a file is there, nor how large it is:
`stat` by descriptor is missing, too, because `newfstatat` with AT_EMPTY_PATH still follows a path that is not empty,
and a filter can't read memory. Another architecture's calls (32 bits, x32) end the process. Who applies it: `oslock`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# machine -> audit number of the architecture, number of seccomp(2)
ARCHITECTURES = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}

_WORD = 0xFFFFFFFF
_ANONYMOUS_PRIVATE, _NO_RESERVE, _READ_WRITE = 0x22, 0x4000, 0x3
_MAY_MOVE = 0x1
_DONT_NEED, _FREE, _HUGE_PAGES = 4, 8, 14
_FUTEX_PRIVATE, _FUTEX_CLOCK = 128, 256
_WAIT_AND_WAKE = (0, 1, 9, 10)  # and the forms with a bit set
_CLOCKS = range(12)  # the system's own; greater numbers are the clocks of processes, of others, too
_STANDARD_ERROR = 2


@dataclass(frozen=True)
class Check:
    """What the lower 32 bits of an argument, without those in `free`, must be one of."""

    argument: int
    among: Sequence[int]
    free: int = 0


@dataclass(frozen=True)
class Call:
    """A system call that is allowed: its numbers on x86-64 and on aarch64, and what is checked."""

    x86_64: int
    aarch64: int
    checks: tuple[Check, ...] = ()


def calls(reading: int, writing: int) -> dict[str, Call]:
    """All of them, for a worker whose pipe to the program is these two descriptors."""
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
        "setitimer": Call(38, 103, (Check(0, (0,)),)),  # of real time: the ticker's
        "getppid": Call(110, 173),
        "futex": Call(202, 98, (Check(1, _WAIT_AND_WAKE, free=_FUTEX_PRIVATE | _FUTEX_CLOCK),)),
        "restart_syscall": Call(219, 128),
        "clock_gettime": Call(228, 113, clock),
        "clock_nanosleep": Call(230, 115, clock),
        "exit_group": Call(231, 94),
        "getrandom": Call(318, 278),
    }


# --- the filter: a program of classic BPF over the number and the arguments of a call ---

LOAD, AND, JUMP_EQUAL, JUMP_GREATER_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
KILL, DENY, ALLOW = 0x80000000, 0x00050001, 0x7FFF0000  # DENY: the call fails with EPERM
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # where they are in seccomp_data; an argument has 8 bytes
_X32 = 0x40000000

Instruction = tuple[int, int, int, int]  # operation, jump if true, jump if false, value


def filter_program(machine: str, allowed: dict[str, Call]) -> list[Instruction]:
    """The filter for a machine of `ARCHITECTURES`."""
    program: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, ARCHITECTURES[machine][0]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":  # the x32 numbers are another door to the same calls
        program += [(JUMP_GREATER_EQUAL, 0, 1, _X32), (RETURN, 0, 0, KILL)]
    for call in allowed.values():
        checked = [step for check in call.checks for step in _checked(check)]
        program.append((JUMP_EQUAL, 0, len(checked) + 1, getattr(call, machine)))
        program += [*checked, (RETURN, 0, 0, ALLOW)]
    return [*program, (RETURN, 0, 0, DENY)]


def _checked(check: Check) -> list[Instruction]:
    """Falls through if the argument is one of those, denies otherwise."""
    load: list[Instruction] = [(LOAD, 0, 0, ARGUMENTS + 8 * check.argument)]
    if check.free:
        load.append((AND, 0, 0, _WORD & ~check.free))
    last = len(check.among)
    compare = [(JUMP_EQUAL, last - index, 0, value) for index, value in enumerate(check.among)]
    return [*load, *compare, (RETURN, 0, 0, DENY)]
