"""The kernel's locks alone, without the language: plain Python in a locked process reaches nothing."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.worker import oslock

ROOT = Path(__file__).parents[2]


def has_kernel_locks() -> bool:
    """Whether this kernel has Landlock and seccomp at all; asked without our own code, so that a lock which fails is
    a failure and not a test left out."""
    if not sys.platform.startswith("linux") or os.uname().machine not in oslock._MACHINES:
        return False
    version_of_landlock = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
    return version_of_landlock > 0 and Path("/proc/sys/kernel/seccomp/actions_avail").exists()


HAS_KERNEL_LOCKS = has_kernel_locks()
NEEDS_LOCKS = "needs a Linux kernel with Landlock and seccomp, on x86-64 or aarch64"

LOCKED = f"""
import ctypes, json, mmap, os, signal, socket, subprocess, sys, threading, time
sys.path.insert(0, {str(ROOT)!r})
from gradviz.worker.oslock import lock_down
libc = ctypes.CDLL(None, use_errno=True)
target = int(sys.argv[1])
layers = lock_down(2000)
def fails(attempt):
    try:
        result = attempt()
    except (OSError, RuntimeError, MemoryError, ValueError) as error:
        return type(error).__name__
    return f"SUCCEEDED: {{result!r}}"
def number(call, *arguments):
    if libc.syscall(call, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "syscall")
"""

ATTEMPTS = {
    "read a file": "open('/etc/passwd').read()",
    "write a file": "open('escaped', 'w')",
    "list a folder": "os.listdir('/')",
    "make a folder": "os.mkdir('escaped')",
    "remove a file": "os.unlink('here')",
    "rename a file": "os.rename('here', 'there')",
    "link a file": "os.symlink('/etc/passwd', 'escaped')",
    "change a mode": "os.chmod('here', 0o777)",
    "a pipe": "os.pipe()",
    "duplicate a descriptor": "os.dup(1)",
    "a socket": "socket.socket()",
    "a Unix socket": "socket.socket(socket.AF_UNIX)",
    "a socket pair": "socket.socketpair()",
    "fork": "os.fork()",
    "a program": "subprocess.run(['/bin/true'])",
    "exec": "os.execv('/bin/true', ['true'])",
    "a thread": "threading.Thread(target=print).start()",
    "a signal to another process": "os.kill(target, signal.SIGTERM)",
    "a signal by tgkill": "number(234 if os.uname().machine == 'x86_64' else 131, target, target, 15)",
    "executable memory": "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)",
    "a higher limit": "__import__('resource').setrlimit(7, (100, 100))",
    "another user": "os.setuid(0)",
    "another root": "os.chroot('/')",
    "ptrace": "number(101 if os.uname().machine == 'x86_64' else 117, 16, target, 0, 0)",
    "a mount": "number(165 if os.uname().machine == 'x86_64' else 40, 0, 0, 0, 0, 0)",
    "io_uring": "number(425, 8, 0)",
    "a file handle": "number(437, -100, b'/etc/passwd', 0, 0)",
    "the clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "the host's name": "socket.sethostname('x')",
    "a new library": "ctypes.CDLL('libanl.so.1')",
}


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
def test_the_kernel_alone_contains_plain_python(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("kept")
    body = ", ".join(f"{name!r}: fails(lambda: {code})" for name, code in ATTEMPTS.items())
    script = f"{LOCKED}\nprint(json.dumps([layers, {{{body}}}]), flush=True)\nos._exit(0)\n"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        done = subprocess.run(
            [sys.executable, "-c", script, str(bystander.pid)], capture_output=True, text=True, cwd=tmp_path, timeout=60
        )
        assert bystander.poll() is None
        bystander.communicate(b"\n")
    assert done.returncode == 0, done.stderr
    layers, results = json.loads(done.stdout)
    assert all(state.startswith("on") for state in layers.values()), layers
    assert {name: result for name, result in results.items() if "SUCCEEDED" in result} == {}
    assert (tmp_path / "here").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


NEEDS_A_DESCRIPTOR = [
    "read a file", "write a file", "list a folder", "a pipe", "duplicate a descriptor", "a socket", "a Unix socket",
    "a socket pair", "a new library",
]  # fmt: skip
NEEDS_A_PATH = ["make a folder", "remove a file", "rename a file", "link a file"]
NO_LANDLOCK, NO_SECCOMP = "oslock._LANDLOCK_CREATE = 9999", "oslock._MACHINES = {}"


@pytest.mark.skipif(not HAS_KERNEL_LOCKS, reason=NEEDS_LOCKS)
@pytest.mark.parametrize(
    ("lacks", "absent", "contained"),
    [
        (NO_LANDLOCK, ["landlock"], list(ATTEMPTS)),
        (NO_SECCOMP, ["seccomp"], NEEDS_A_DESCRIPTOR + NEEDS_A_PATH),
        (f"{NO_LANDLOCK}; {NO_SECCOMP}", ["landlock", "seccomp"], NEEDS_A_DESCRIPTOR),
    ],
)
def test_what_holds_where_the_kernel_lacks_a_lock(
    tmp_path: Path, lacks: str, absent: list[str], contained: list[str]
) -> None:
    (tmp_path / "here").write_text("kept")
    body = ", ".join(f"{name!r}: fails(lambda: {ATTEMPTS[name]})" for name in contained)
    locked = LOCKED.replace("layers = lock_down", f"from gradviz.worker import oslock; {lacks}\nlayers = lock_down")
    script = f"{locked}\nprint(json.dumps([layers, {{{body}}}]), flush=True)\nos._exit(0)\n"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        command = [sys.executable, "-c", script, str(bystander.pid)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
        bystander.communicate(b"\n")
    assert done.returncode == 0, done.stderr
    layers, results = json.loads(done.stdout)
    assert [name for name, state in layers.items() if state.startswith("absent: ")] == absent
    assert {name: result for name, result in results.items() if "SUCCEEDED" in result} == {}
    assert (tmp_path / "here").read_text() == "kept"


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
    monkeypatch.setattr(oslock, "seccomp", lambda: "41 calls")
    monkeypatch.setattr(sys, "platform", "linux")
    assert oslock.lock_down(100) == {
        "limits": "on (not on memory)",
        "landlock": "absent: the kernel has no Landlock",
        "descriptors": "on",
        "seccomp": "on (41 calls)",
    }


def test_an_unknown_machine_has_no_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(oslock.LockUnavailable, match="riscv64"):
        oslock.seccomp()


@pytest.mark.parametrize("machine", oslock._MACHINES)
def test_the_filter_allows_exactly_its_table(machine: str) -> None:
    audit, _, table = oslock._MACHINES[machine]
    program = oslock.filter_program(machine, pid=77)
    plain = set(table.values()) - {table[name] for name in ("mmap", "mprotect", "tgkill")}
    for number in range(600):
        allowed = interpret(program, audit, number) == oslock._ALLOW
        assert allowed == (number in set(table.values())), number
        assert (interpret(program, audit, number, first=5, third=4) == oslock._ALLOW) == (number in plain)
    assert interpret(program, audit, table["tgkill"], first=77) == oslock._ALLOW
    assert interpret(program, audit, table["mmap"], third=3) == oslock._ALLOW
    assert interpret(program, 0x1234, 0) == oslock._KILL, "another architecture"
    assert machine != "x86_64" or interpret(program, audit, 0x40000000) == oslock._KILL, "x32"


def interpret(program: list[oslock.Instruction], audit: int, number: int, first: int = 77, third: int = 0) -> int:
    """What the kernel would answer."""
    data = {oslock._NUMBER: number, oslock._ARCHITECTURE: audit, oslock._ARGUMENT_0: first, oslock._ARGUMENT_2: third}
    at = accumulator = 0
    while True:
        code, yes, no, value = program[at]
        at += 1
        if code == oslock._RETURN:
            return value
        if code == oslock._LOAD:
            accumulator = data[value]
        elif code == oslock._JUMP_EQUAL:
            at += yes if accumulator == value else no
        elif code == oslock._JUMP_GREATER_EQUAL:
            at += yes if accumulator >= value else no
        else:
            assert code == oslock._JUMP_SET
            at += yes if accumulator & value else no


def test_the_audit_hook_alone_refuses_while_closed() -> None:
    """In a process of its own: a hook can't be taken out again."""
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import os, socket, subprocess
from gradviz.worker.oslock import AuditGate
gate = AuditGate()
open(os.devnull).close()
gate.close()
attempts = [
    lambda: open(os.devnull), lambda: exec("1"), lambda: os.listdir("."), lambda: socket.socket(),
    lambda: subprocess.Popen(["true"]), lambda: __import__("wave"), lambda: os.mkdir("x"),
    lambda: sys.settrace(None), lambda: (x for x in []).gi_frame,
]
failed = 0
for attempt in attempts:
    try:
        attempt()
    except PermissionError as error:
        failed += "not available in GradViz" in str(error)
with gate.lifted():
    open(os.devnull).close()
try:
    open(os.devnull)
except PermissionError:
    failed += 1
gate.open()
print(failed, len(attempts))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "10 9\n", done.stderr
