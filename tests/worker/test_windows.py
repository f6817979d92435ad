"""The locks of Windows against a fake of its libraries: the structures' published sizes, the calls in their order, and
every call failing. What a real Windows does with them was not seen."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import pytest

from gradviz.worker.locks import windows
from gradviz.worker.locks.windows import BasicLimits, ExtendedLimits, MandatoryLabel
from gradviz.worker.process.worker_process import how_it_ended
from tests.worker.fake_windows import FakeSystem

FROM_OUTSIDE = ["CreateJobObjectW", "SetInformationJobObject", "OpenProcess", "AssignProcessToJobObject"]
WORKERS = ["OpenProcessToken", "GetTokenInformation", "AdjustTokenPrivileges", "SetTokenInformation"]


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the published sizes are those of 64 bits")
def test_structures_have_the_published_sizes_and_offsets() -> None:
    assert ctypes.sizeof(BasicLimits) == 64
    assert [getattr(BasicLimits, name).offset for name in ("flags", "active_processes", "affinity", "priority")] == [
        16, 40, 48, 56,
    ]  # fmt: skip
    assert ctypes.sizeof(ExtendedLimits) == 144
    assert (ExtendedLimits.process_memory.offset, ExtendedLimits.job_memory.offset) == (112, 120)
    assert (ctypes.sizeof(MandatoryLabel), MandatoryLabel.attributes.offset) == (16, 8)


def test_the_sid_is_that_of_low_integrity() -> None:
    revision, count, *authority = windows.LOW_INTEGRITY[:8]
    assert (revision, count, int.from_bytes(bytes(authority), "big")) == (1, 1, 16)
    assert struct.unpack_from("<I", windows.LOW_INTEGRITY, 8) == (4096,)


def test_a_worker_is_put_into_a_job_of_one_process_that_ends_with_the_program() -> None:
    system = FakeSystem()
    job = windows.make_job(2012, system.windows())
    assert job.detail == ""
    windows.put_in_job(4711, job)
    assert system.names() == [
        "CreateJobObjectW", "SetInformationJobObject", "SetInformationJobObject", "OpenProcess",
        "AssignProcessToJobObject", "CloseHandle",
    ]  # fmt: skip
    arguments: list[Any] = [given for _, given in system.calls]
    assert arguments[1][0] == job.handle
    assert arguments[1][1:4:2] == (9, 144)
    limits = ExtendedLimits.from_buffer_copy(arguments[1][2])
    assert limits.basic.flags == 0x2 | 0x8 | 0x100 | 0x200 | 0x400 | 0x2000
    assert limits.basic.active_processes == 1
    assert limits.process_memory == limits.job_memory == 2012 << 20
    assert arguments[2] == (job.handle, 4, struct.pack("<I", 0xFF), 4)
    assert arguments[3] == (0x101, 0, 4711)
    assert arguments[4] == (job.handle, arguments[5][0])
    assert system.open == {job.handle}, "the Job lives as long as the program and the worker"
    job.close()
    assert system.open == set()


def test_a_worker_gives_up_its_privileges_and_its_integrity() -> None:
    system = FakeSystem()
    assert windows.lower_integrity(system.windows()) == ""
    assert system.names() == ["GetCurrentProcess", *WORKERS, "CloseHandle"]
    given = dict(system.calls)
    changed = given["AdjustTokenPrivileges"][2]
    assert isinstance(changed, bytes)
    assert struct.unpack_from("<I9I", changed) == (3, 20, 0, 4, 21, 0, 4, 22, 0, 4)
    _, kind, label, size = given["SetTokenInformation"]
    assert isinstance(label, bytes)
    assert (kind, label[8:12], size) == (25, struct.pack("<I", 0x20), 16 + 12)
    assert system.open == set()


def test_a_worker_gives_up_what_a_warm_one_does_not_need() -> None:
    system = FakeSystem()
    assert windows.mitigate(system.windows()) == "6 policies"
    assert [given[0] for _, given in system.calls] == [2, 6, 8, 9, 10, 13]
    assert {given[2] for _, given in system.calls} == {4}


@pytest.mark.parametrize("how", ["failing", "missing"])
@pytest.mark.parametrize("name", FROM_OUTSIDE)
def test_a_job_that_can_t_be_made_leaves_no_handle(name: str, how: str) -> None:
    system = FakeSystem(**{how: name})
    with pytest.raises(OSError, match=name) as raised:
        job = windows.make_job(100, system.windows())
        try:
            windows.put_in_job(1, job)
        finally:
            job.close()
    assert ("Windows error 5" in str(raised.value)) == (how == "failing")
    assert system.open == set(), "every handle is closed"


def test_a_job_holds_without_the_restrictions_of_the_desktop() -> None:
    system = FakeSystem(failing="SetInformationJobObject2")
    job = windows.make_job(100, system.windows())
    assert job.detail == "without restrictions of the desktop"
    assert system.open == {job.handle}


def test_a_warm_worker_drops_the_token_of_its_start() -> None:
    system = FakeSystem()
    assert windows.give_up_start(system.windows()) == ""
    assert system.names() == [
        "GetCurrentProcess", "OpenProcessToken", "IsTokenRestricted", "CloseHandle", "RevertToSelf",
    ]  # fmt: skip
    assert system.open == set()


@pytest.mark.parametrize("how", ["failing", "missing"])
@pytest.mark.parametrize("name", ["OpenProcessToken", "RevertToSelf"])
def test_a_token_that_can_t_be_dropped_is_no_lock(name: str, how: str) -> None:
    system = FakeSystem(**{how: name})
    with pytest.raises(OSError, match=name):
        windows.give_up_start(system.windows())
    assert system.open == set()


def test_a_worker_that_was_started_without_a_restricted_token_says_so() -> None:
    system = FakeSystem(is_restricted=False)
    with pytest.raises(OSError, match="started without one"):
        windows.give_up_start(system.windows())
    assert "RevertToSelf" not in system.names()
    assert system.open == set()


@pytest.mark.parametrize("how", ["failing", "missing"])
@pytest.mark.parametrize("name", WORKERS)
def test_a_token_that_can_t_be_changed_leaves_no_handle(name: str, how: str) -> None:
    system = FakeSystem(**{how: name})
    if name in ("GetTokenInformation", "AdjustTokenPrivileges"):
        assert windows.lower_integrity(system.windows()) == "with its privileges"
        assert "SetTokenInformation" in system.names()
    else:
        with pytest.raises(OSError, match=name):
            windows.lower_integrity(system.windows())
    assert system.open == set()


@pytest.mark.parametrize("how", ["failing", "missing"])
def test_an_old_windows_has_no_mitigations(how: str) -> None:
    system = FakeSystem(**{how: "SetProcessMitigationPolicy"})
    with pytest.raises(OSError, match="SetProcessMitigationPolicy"):
        windows.mitigate(system.windows())


def test_a_policy_that_this_windows_does_not_know_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    system = FakeSystem()
    answer = system.answer

    def knows_no_fonts(name: str, arguments: tuple[Any, ...]) -> int | None:
        return 0 if arguments[0] == windows.MITIGATIONS["fonts"][0] else answer(name, arguments)

    monkeypatch.setattr(system, "answer", knows_no_fonts)
    assert windows.mitigate(system.windows()) == "without fonts"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0xC0000005, "it accessed memory that is not its own"),
        (0xC00000FD - (1 << 32), "its stack overflowed"),
        (0xC0000409, "it ended itself after a fatal error"),
        (0xC0001234, "exit status 0xc0001234"),
        (3, "exit status 3"),
        (0, ""),
    ],
)
def test_how_a_process_ended_on_windows(code: int, words: str) -> None:
    assert how_it_ended(code, on_windows=True) == words


@pytest.mark.parametrize(("code", "words"), [(-9, "signal SIGKILL"), (-200, "signal -200"), (2, "exit status 2")])
def test_how_a_process_ended_elsewhere(code: int, words: str) -> None:
    assert how_it_ended(code, on_windows=False) == words.replace("-200", "200")


def test_every_call_has_its_handles_in_full_width() -> None:
    """A handle that is declared as an int loses its upper half."""
    handles: Callable[[str], bool] = lambda name: windows.SIGNATURES[name][1] is ctypes.c_void_p  # noqa: E731
    assert {name for name in windows.SIGNATURES if handles(name)} == {
        "CreateJobObjectW",
        "OpenProcess",
        "GetCurrentProcess",
    }
