"""The filter over system calls, run as the kernel would run it: what is in its table passes with the arguments that a
worker gives, and nothing else does."""

from __future__ import annotations

import pytest

from gradviz.worker.locks import oslock
from gradviz.worker.locks.oslock import ALLOW, ARCHITECTURES, DENY, KILL, Call

READING, WRITING = 5, 6
ALLOWED = oslock.calls(READING, WRITING)
FITTING = {  # arguments that a warm worker gives
    "read": (READING,),
    "write": (WRITING,),
    "mmap": (0, 4096, 3, 0x22, 0xFFFFFFFF),
    "mremap": (0, 4096, 8192, 1),
    "madvise": (0, 4096, 14),
    "setitimer": (0,),
    "futex": (0, 128 | 9),
    "clock_gettime": (2,),
    "clock_nanosleep": (1, 1),
}
BARRED = [
    ("read", (0,)),
    ("read", (4,)),
    ("write", (1,)),
    ("write", (READING,)),
    ("mmap", (0, 4096, 7, 0x22)),  # to be executed
    ("mmap", (0, 4096, 4, 0x22)),
    ("mmap", (0, 4096, 3, 0x21)),  # shared
    ("mmap", (0, 4096, 3, 0x02)),  # of a file
    ("mmap", (0, 4096, 3, 0x32)),  # at a place
    ("mmap", (0, 4096, 3, 0x40022)),  # of huge pages, which are counted for the whole computer
    ("mremap", (0, 4096, 4096, 3)),
    ("mremap", (0, 4096, 4096, 5)),
    ("madvise", (0, 4096, 12)),
    ("madvise", (0, 4096, 100)),
    ("setitimer", (1,)),
    ("futex", (0, 6)),
    ("futex", (0, 128 | 12)),
    ("clock_gettime", (0xFFFFFFFE,)),  # of a process
    ("clock_nanosleep", (0xFFFFFFFA,)),
]


def number(machine: str, call: Call) -> int:
    found = getattr(call, machine)
    assert isinstance(found, int)
    return found


def answer(machine: str, called: int, arguments: tuple[int, ...] = (), architecture: int | None = None) -> int:
    """What the kernel would do."""
    data = {oslock.NUMBER: called, oslock.ARCHITECTURE: architecture or ARCHITECTURES[machine][0]}
    data |= {oslock.ARGUMENTS + 8 * index: 0 for index in range(6)}
    data |= {oslock.ARGUMENTS + 8 * index: value for index, value in enumerate(arguments)}
    program = oslock.filter_program(machine, ALLOWED)
    at = accumulator = 0
    while True:
        operation, yes, no, value = program[at]
        at += 1
        if operation == oslock.RETURN:
            return value
        if operation == oslock.LOAD:
            accumulator = data[value]
        elif operation == oslock.AND:
            accumulator &= value
        elif operation == oslock.JUMP_EQUAL:
            at += yes if accumulator == value else no
        else:
            assert operation == oslock.JUMP_GREATER_EQUAL
            at += yes if accumulator >= value else no


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_filter_allows_exactly_its_table(machine: str) -> None:
    by_number = {number(machine, call): name for name, call in ALLOWED.items()}
    assert len(by_number) == len(ALLOWED) == 16
    for called in range(600):
        name = by_number.get(called)
        allowed = answer(machine, called, FITTING.get(name or "", ())) == ALLOW
        assert allowed == (name is not None), called
        if name is None:
            assert answer(machine, called, (WRITING, 0, 0, 0x22)) == DENY
    assert answer(machine, 0, architecture=0x40000003) == KILL, "32 bits"
    assert machine != "x86_64" or answer(machine, 0x40000000) == KILL, "x32"


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(("name", "arguments"), BARRED)
def test_an_argument_that_no_worker_gives_is_refused(machine: str, name: str, arguments: tuple[int, ...]) -> None:
    assert answer(machine, number(machine, ALLOWED[name]), FITTING[name]) == ALLOW
    assert answer(machine, number(machine, ALLOWED[name]), arguments) == DENY


def test_no_call_takes_a_path() -> None:
    """Nor makes a descriptor, a process or a thread; the numbers are those of x86-64."""
    paths = {2, 4, 6, 21, 59, 76, 79, 80, *range(82, 91), 92, 132, 133, 137, 161, 165, 191, 192, 194}
    paths |= {*range(257, 270), 303, 304, 316, 322, 332, 437, 439, 452}
    makers = {22, 32, 41, 42, 43, 53, 56, 57, 58, 72, 213, 253, 282, 283, 290, 291, 293, 294, 298, 319, 425, 434, 435}
    assert not (paths | makers) & {call.x86_64 for call in ALLOWED.values()}
