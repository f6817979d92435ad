"""The kernel's locks alone, without the language: plain Python in a locked process reaches nothing."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradviz.worker.locks import oslock, trial
from tests.worker.kernel_attempts import (
    ATTEMPTS,
    HAS_KERNEL_LOCKS,
    NEED_A_DESCRIPTOR,
    NEED_A_PATH,
    NEEDS_LOCKS,
    OFTEN_CLOSED,
    ONLY_LOCKED,
    command_of,
    tried,
)

NO_LANDLOCK, NO_SECCOMP = "oslock._LANDLOCK_CREATE = 9999", "oslock.ARCHITECTURES = {}"
LEFT = ("here", "there", "link")


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
def test_what_is_tried_works_where_nothing_is_locked(tmp_path: Path) -> None:
    """Else a lock would be praised for what fails by itself."""
    _, results = tried(tmp_path, {name: code for name, code in ATTEMPTS.items() if name not in ONLY_LOCKED}, locks="")
    failed = {name for name, result in results.items() if "SUCCEEDED" not in result}
    assert failed <= OFTEN_CLOSED, results


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
def test_the_kernel_alone_contains_plain_python(tmp_path: Path) -> None:
    layers, results = tried(tmp_path, ATTEMPTS)
    assert all(state.startswith("on") for state in layers.values()), layers
    by_the_kernel = dict.fromkeys(ATTEMPTS, "PermissionError 1")
    by_python = {  # which has its own words for the same answer of the kernel
        "a new library": "OSError None",
        "access": "OSError None",
        "a thread": "RuntimeError ",
        "a timer of the processor": "itimer_error 1",
    }
    assert results == by_the_kernel | by_python
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(LEFT, "kept")


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
@pytest.mark.parametrize(
    ("lacking", "absent", "contained"),
    [
        (NO_LANDLOCK, ["landlock"], ATTEMPTS),
        (NO_SECCOMP, ["seccomp"], {**NEED_A_DESCRIPTOR, **NEED_A_PATH}),
        (f"{NO_LANDLOCK}; {NO_SECCOMP}", ["landlock", "seccomp"], NEED_A_DESCRIPTOR),
    ],
)
def test_what_holds_where_the_kernel_lacks_a_lock(
    tmp_path: Path, lacking: str, absent: list[str], contained: dict[str, str]
) -> None:
    layers, results = tried(tmp_path, contained, lacking)
    assert [name for name, state in layers.items() if state.startswith("absent: ") and name != "trial"] == absent
    assert {name: result for name, result in results.items() if "SUCCEEDED" in result} == {}
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(LEFT, "kept")


@pytest.mark.skipif(not HAS_KERNEL_LOCKS or os.uname().machine != "x86_64", reason="needs the locks, on x86-64")
@pytest.mark.parametrize(
    ("door", "signals"),
    [
        ("libc.syscall(0x40000000 + 39)", {signal.SIGSYS}),
        ("ctypes.CFUNCTYPE(ctypes.c_int)(old)()", {signal.SIGSYS, signal.SIGSEGV}),  # a kernel may have no 32 bits
    ],
)
def test_another_architecture_is_no_door(tmp_path: Path, door: str, signals: set[int]) -> None:
    asks_for_its_number = "b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3'"  # eax = 20, interrupt 0x80, return
    page = f"old = number((9, 222), None, 4096, 7, 0x22, -1, 0); ctypes.memmove(old, {asks_for_its_number}, 8)"
    done = subprocess.run(command_of({}, f"{page}\n", also=f"{door}\n"), capture_output=True, cwd=tmp_path, timeout=300)
    assert -done.returncode in signals, done.stderr


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
def test_a_locked_worker_still_knows_the_zone_of_the_time(tmp_path: Path) -> None:
    """The C library looks at the file again for each question, unless TZ says which it is."""
    zone = struct.pack(">4s16x6I", b"TZif", 0, 0, 0, 0, 1, 4) + struct.pack(">iBB", 5 * 3600, 0, 0) + b"XYZ\0"
    (tmp_path / "zone").write_bytes(zone)
    forget = (
        f"from gradviz.worker.locks import places; places._LOCAL_TIME = ':{tmp_path}/zone'; places.forget_environment()"
    )
    _, results = tried(tmp_path, {"hour": "[time.localtime(0).tm_hour, time.strftime('%Z')]"}, forget)
    assert results == {"hour": "SUCCEEDED: [5, 'XYZ']"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
def test_a_worker_that_crashes_leaves_no_core_dump(tmp_path: Path) -> None:
    """Nor hands it to a program of the system, for which the limit does not count."""
    _, results = tried(
        tmp_path, {"core": "resource.getrlimit(resource.RLIMIT_CORE)"}, locks="oslock.resource_limits(2000)"
    )
    assert results == {"core": "SUCCEEDED: (1, 1)"}, "one byte is what stops both; see do_coredump in Linux"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
def test_what_a_worker_may_use_is_bounded(tmp_path: Path) -> None:
    bounds = {"CORE": 1, "FSIZE": 0, "NPROC": 0, "CPU": 3600, "AS": 2000 << 20}
    asked = {name: f"resource.getrlimit(resource.RLIMIT_{name})" for name in bounds}
    _, results = tried(tmp_path, asked, locks="oslock.resource_limits(2000)")
    assert results == {name: f"SUCCEEDED: {(bound, bound)}" for name, bound in bounds.items()}


def test_root_is_told_that_the_kernel_does_not_count_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    monkeypatch.setattr(resource, "setrlimit", lambda kind, value: None)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert oslock.resource_limits(100) == "not on new processes"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert oslock.resource_limits(100) == ""


def test_a_lock_that_the_system_lacks_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> str:
        raise oslock.LockUnavailable("the kernel has no Landlock")

    monkeypatch.setattr(oslock, "resource_limits", lambda memory_mb: "not on memory")
    monkeypatch.setattr(oslock, "landlock", absent)
    monkeypatch.setattr(oslock, "no_descriptors", lambda: "")
    monkeypatch.setattr(oslock, "seccomp", lambda reading, writing: "16 calls")
    monkeypatch.setattr(trial, "try_out", lambda: "asks which files are there")
    monkeypatch.setattr(sys, "platform", "linux")
    assert oslock.lock_down(100, 0, 1) == {
        "limits": "on (not on memory)",
        "landlock": "absent: the kernel has no Landlock",
        "descriptors": "on",
        "seccomp": "on (16 calls)",
        "trial": "on (asks which files are there)",
    }


def test_an_unknown_machine_has_no_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    with pytest.raises(oslock.LockUnavailable, match="riscv64"):
        oslock.seccomp(0, 1)
