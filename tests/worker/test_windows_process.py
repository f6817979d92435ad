"""How a worker starts on Windows, against a fake of its libraries: the tokens, the order of calls around the suspended
process, and each call failing. What a real Windows does with them was not seen."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.worker.locks import windows
from gradviz.worker.process import starting, windows_process, worker_process
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.spawn import worker_command, worker_environment
from gradviz.worker.process.starting import Started, start_on_windows
from gradviz.worker.process.windows_process import NULL_SID, ProcessInformation, SidAndAttributes, StartupInfo
from tests.worker.conftest import run_in
from tests.worker.fake_windows import ATTRIBUTE_LIST_SIZE, GROUP, LOGON, USER, FakeSystem

ECHO = [sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read()); sys.exit(3)"]
EVERYBODY = [(USER, 0), (GROUP, 0), (LOGON, 0)]  # but the integrity level, which is no group
TOKEN_CALLS = ["OpenProcessToken", "GetTokenInformation", "CreateRestrictedToken", "DuplicateTokenEx"]
JOB_CALLS = ["CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject"]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_given_up", {})


@pytest.fixture
def ended() -> Iterator[list[Started]]:
    """Those that a test has started, which end with it."""
    started: list[Started] = []
    yield started
    for each in started:
        each.process.kill()
        each.process.wait()
        each.release()
        for stream in (each.process.stdin, each.process.stdout):
            assert stream is not None
            stream.close()


def started_on(system: FakeSystem, folder: Path, command: list[str] = ECHO) -> Started:
    return start_on_windows(command, str(folder), 2012, system.windows, lambda descriptor: descriptor)


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the published sizes are those of 64 bits")
def test_structures_have_the_published_sizes_and_offsets() -> None:
    assert ctypes.sizeof(StartupInfo) == 112
    names = ("desktop", "flags", "show", "reserved_data", "stdin", "stdout", "stderr", "attributes")
    assert [getattr(StartupInfo, name).offset for name in names] == [16, 60, 64, 72, 80, 88, 96, 104]
    assert ctypes.sizeof(ProcessInformation) == 24
    assert [getattr(ProcessInformation, name).offset for name in ("thread", "process_id", "thread_id")] == [8, 16, 20]
    assert (ctypes.sizeof(SidAndAttributes), SidAndAttributes.attributes.offset) == (16, 8)


def test_the_sid_is_the_one_to_which_nothing_is_granted() -> None:
    revision, count, *authority = NULL_SID[:8]
    assert (revision, count, int.from_bytes(bytes(authority), "big"), NULL_SID[8:]) == (1, 1, 0, bytes(4))


def test_the_process_may_nothing_and_its_first_thread_what_the_user_may() -> None:
    system = FakeSystem()
    tokens = windows_process.make_tokens(system.windows())
    assert system.names() == [
        "GetCurrentProcess", "OpenProcessToken", *["GetTokenInformation"] * 6, "CreateRestrictedToken",
        "CreateRestrictedToken", "DuplicateTokenEx", "CloseHandle", "CloseHandle",
    ]  # fmt: skip
    assert system.given("OpenProcessToken")[1] == 0x1 | 0x2 | 0x4 | 0x8 | 0x80
    of_process, of_thread = [given for name, given in system.calls if name == "CreateRestrictedToken"]
    every_privilege = (20, 0, 2, 21, 0, 2, 22, 0, 2)
    assert of_process == (0, EVERYBODY, every_privilege, [(NULL_SID, 0)])
    assert of_thread == (0, [], (), EVERYBODY), "restricted, or the process could not take it; yet the same access"
    assert system.given("DuplicateTokenEx")[1:5] == (0x8 | 0x4, None, 2, 2)
    assert system.open == {tokens.process, tokens.start}
    tokens.close()
    assert system.open == set()


@pytest.mark.parametrize("how", ["failing", "missing"])
@pytest.mark.parametrize("name", TOKEN_CALLS)
def test_tokens_that_can_t_be_made_leave_no_handle(name: str, how: str) -> None:
    system = FakeSystem(**{how: name})
    with pytest.raises(OSError, match=name):
        windows_process.make_tokens(system.windows())
    assert system.open == set()


def test_a_worker_is_in_its_job_and_has_its_tokens_before_its_first_instruction(
    tmp_path: Path, ended: list[Started]
) -> None:
    system = FakeSystem()
    before = set(os.listdir("/proc/self/fd")) if sys.platform.startswith("linux") else set()
    started = started_on(system, tmp_path)
    ended.append(started)
    assert started.layers == {"restricted token": "on", "job": "on"}
    names = system.names()
    assert names[names.index("InitializeProcThreadAttributeList") :] == [
        "InitializeProcThreadAttributeList", "InitializeProcThreadAttributeList", "UpdateProcThreadAttribute",
        "CreateProcessAsUserW", "DeleteProcThreadAttributeList", "AssignProcessToJobObject", "SetThreadToken",
        "ResumeThread", "CloseHandle", "CloseHandle", "CloseHandle",
    ]  # fmt: skip
    if before:
        assert len(set(os.listdir("/proc/self/fd")) - before) == 2, "the program's ends of the pipe"
    assert started.process.stdin is not None and started.process.stdout is not None
    started.process.stdin.write(b"through the pipe")
    started.process.stdin.close()
    assert started.process.stdout.read() == b"through the pipe"
    assert started.process.wait() == 3
    assert started.process.poll() == 3
    started.process.kill()
    assert "TerminateProcess" not in system.names(), "it has ended"


def test_a_worker_inherits_its_pipe_and_nothing_else(tmp_path: Path, ended: list[Started]) -> None:
    system = FakeSystem()
    ended.append(started_on(system, tmp_path))
    _, program, _, of_process, of_thread, inherits, flags, block, folder, startup, _ = system.given(
        "CreateProcessAsUserW"
    )
    assert (program, of_process, of_thread, inherits, folder) == (ECHO[0], None, None, 1, str(tmp_path))
    assert flags == 0x4 | 0x8 | 0x400 | 0x80000, "suspended, detached, an environment in Unicode, attributes"
    assert (startup.size, startup.flags) == (112, 0x100)
    assert system.inherited == [startup.stdin, startup.stdout, startup.stderr]
    assert len(set(system.inherited)) == 3
    attribute = system.given("UpdateProcThreadAttribute")
    assert (attribute[2], attribute[4]) == (0x20002, 24)
    rooms = [given[0] for name, given in system.calls if name == "InitializeProcThreadAttributeList"]
    assert rooms[0] is None and len(rooms[1]) >= ATTRIBUTE_LIST_SIZE, "its size is asked for first"
    told = [pair for pair in block.decode("utf-32" if sys.platform != "win32" else "utf-16").split("\0") if pair]
    assert told == sorted(told, key=str.upper)
    assert dict(pair.split("=", 1) for pair in told) == worker_environment(str(tmp_path))


def test_every_handle_is_given_back(tmp_path: Path) -> None:
    system = FakeSystem()
    started = started_on(system, tmp_path)
    assert len(system.open) == 2, "the Job and the process"
    started.process.kill()
    assert started.process.wait() not in (0, 3)
    started.release()
    assert system.open == set()
    for stream in (started.process.stdin, started.process.stdout):
        assert stream is not None
        stream.close()


@pytest.mark.parametrize("how", ["failing", "missing"])
@pytest.mark.parametrize(
    ("name", "layer", "other"),
    [
        *[(name, "restricted token", "job") for name in (*TOKEN_CALLS, "CreateProcessAsUserW", "SetThreadToken")],
        *[(name, "job", "restricted token") for name in JOB_CALLS],
    ],
)
def test_without_one_lock_the_worker_starts_in_the_other(
    name: str, layer: str, other: str, how: str, tmp_path: Path, ended: list[Started]
) -> None:
    system = FakeSystem(**{how: name})
    started = started_on(system, tmp_path)
    ended.append(started)
    assert started.layers[layer].startswith("absent: ")
    assert name in started.layers[layer]
    assert started.layers[other] == "on"
    assert system.names()[-1] == "CloseHandle" and "ResumeThread" in system.names()
    assert ("CreateProcessW" in system.names()) == (layer == "restricted token")
    running = [each for each in system.processes.values() if each.poll() is None]
    assert [each.pid for each in running] == [started.process.pid], "one that was not to run was ended"
    assert len(system.open) == (2 if layer == "restricted token" else 1)


@pytest.mark.parametrize("name", ["InitializeProcThreadAttributeList", "UpdateProcThreadAttribute", "ResumeThread"])
def test_where_a_process_can_t_be_started_suspended_it_is_put_into_the_job_as_soon_as_it_runs(
    name: str, tmp_path: Path, ended: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "NO_WINDOW", 0)
    system = FakeSystem(failing=name)
    started = started_on(system, tmp_path)
    ended.append(started)
    assert started.layers["restricted token"].startswith(f"absent: {name} failed")
    assert started.layers["job"] == "on"
    assert system.names()[-3:] == ["OpenProcess", "AssignProcessToJobObject", "CloseHandle"]
    assert system.given("OpenProcess")[2] == started.process.pid
    assert len(system.open) == 1


def test_a_lock_in_which_no_worker_got_ready_is_left_out_the_token_first(tmp_path: Path, ended: list[Started]) -> None:
    left_out = "absent: a worker did not start in it"
    for expected in (
        {"restricted token": "on", "job": "on"},
        {"restricted token": left_out, "job": "on"},
        {"restricted token": left_out, "job": left_out},
        {"restricted token": left_out, "job": left_out},
    ):
        ended.append(started_on(FakeSystem(), tmp_path))
        assert ended[-1].layers == expected
        starting.not_ready(ended[-1].layers)


def test_a_whole_worker_starts_so_and_runs_a_snippet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real worker of this system behind the fake calls: it takes this pipe, this environment and this folder."""
    system = FakeSystem()

    def start(command: object, scratch: str, limits: Limits, ahead: bool) -> Started:
        return started_on(system, Path(scratch), [*worker_command(), f"--memory-mb={limits.memory_mb}"])

    monkeypatch.setattr(worker_process, "start", start)
    from gradviz.worker.process.client import WorkerPool

    pool = WorkerPool(reuse=True)
    try:
        outcome = run_in(pool, "import torch\nprint(torch.ones(2).sum())")
        assert (outcome.status, outcome.printed()) == ("ok", "tensor(2.)\n")
        assert (pool.layers["restricted token"], pool.layers["job"]) == ("on", "on")
    finally:
        pool.close()
    assert system.open == set()
