"""Plain Python that asks the kernel for what a worker may not have: each works where no lock is closed, so that a lock
which refuses it refuses just that, and fails once they are."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from gradviz.worker.locks.oslock import ARCHITECTURES

ROOT = Path(__file__).parents[2]


def has_kernel_locks() -> bool:
    """Whether this kernel has Landlock and seccomp at all; asked without our own code, so that a lock which fails is
    a failure and not a test left out."""
    if not sys.platform.startswith("linux") or os.uname().machine not in ARCHITECTURES:
        return False
    version_of_landlock = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
    return version_of_landlock > 0 and Path("/proc/sys/kernel/seccomp/actions_avail").exists()


HAS_KERNEL_LOCKS = has_kernel_locks()
NEEDS_LOCKS = "needs a Linux kernel with Landlock and seccomp, on x86-64 or aarch64"

_SCRIPT = """
import ctypes, json, mmap, os, resource, signal, socket, subprocess, sys, threading, time
target, root, attempts = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
sys.path.insert(0, root)
from gradviz.worker.locks import oslock
column = 0 if os.uname().machine == "x86_64" else 1
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
memory = ctypes.create_string_buffer(1 << 16)
def number(calls, *arguments):
    "A system call by its numbers; bytes are the address of a text."
    ctypes.set_errno(0)
    given = [each if isinstance(each, bytes) or each is None else ctypes.c_long(each) for each in arguments]
    answer = libc.syscall(calls[column], *given)
    if answer < 0:
        raise OSError(ctypes.get_errno(), "system call")
    return answer
own = number((9, 222), None, 8192, 3, 0x22, -1, 0)
def at(offset=0):
    return ctypes.addressof(memory) + offset
def child(started):
    "A process that the attempt has started ends at once."
    if started == 0:
        os._exit(0)
    return os.waitpid(started, 0)
handle = (ctypes.c_uint32 * 32)(64)
def true(answer):
    if not answer:
        raise OSError("no")
    return answer
def joined(thread):
    thread.start()
    thread.join()
    return 1
def fails(attempt):
    try:
        result = eval(attempt)
    except (OSError, RuntimeError, MemoryError, ValueError, ImportError) as error:
        return f"{type(error).__name__} {getattr(error, 'errno', '')}"
    return f"SUCCEEDED: {result!r}"
"""
_LOCKS = "layers = oslock.lock_down(2000, 0, 1)"
_ANSWER = "print(json.dumps([layers, {each: fails(code) for each, code in attempts.items()}]), flush=True); os._exit(0)"

NEED_A_DESCRIPTOR = {
    "read a file": "open('here').read()",
    "write a file": "open('written', 'w').close()",
    "list a folder": "os.listdir('.')",
    "a pipe": "os.pipe()",
    "duplicate a descriptor": "os.dup(1)",
    "a socket": "socket.socket()",
    "a Unix socket": "socket.socket(socket.AF_UNIX)",
    "a socket pair": "socket.socketpair()",
    "memory as a file": "number((319, 279), b'x', 0)",
    "a watch of files": "number((294, 26), 0)",
    "io_uring": "number((425, 425), 8, at())",
    "a file by a new call": "number((437, 437), -100, b'here', at(40000), 24)",
    "a new library": "ctypes.CDLL('libanl.so.1')",
}
NEED_A_PATH = {
    "make a folder": "os.mkdir('escaped')",
    "rename a file": "os.rename('there', 'escaped2')",
    "link a file": "os.symlink('/etc/passwd', 'escaped3')",
    "remove a file": "os.unlink('escaped2')",
}
ASK_FOR_A_PATH = {
    "stat": "os.stat('here')",
    "lstat": "os.lstat('here')",
    "stat by its old number": "number((4, 79), *([b'here', at()] if column == 0 else [-100, b'here', at(), 0]))",
    "stat in a folder": "number((262, 79), -100, b'here', at(), 0)",
    "stat of a descriptor with a path": "number((262, 79), -100, b'here', at(), 0x1000)",
    "statx": "number((332, 291), -100, b'here', 0, 0x7FF, at())",
    "statx of a descriptor with a path": "number((332, 291), -100, b'here', 0x1000, 0x7FF, at())",
    "access": "true(os.access('here', os.F_OK))",
    "access by its number": "number((269, 48), -100, b'here', 0)",
    "access by its new number": "number((439, 439), -100, b'here', 0, 0)",
    "readlink": "os.readlink('link')",
    "the size of a file system": "os.statvfs('here')",
    "extended attributes": "os.listxattr('here')",
    "a handle by name": "number((303, 264), -100, b'here', ctypes.addressof(handle), at(), 0) + 1",
    "another folder": "os.chdir('.')",
    "the own folder": "os.getcwd()",
    "the times of a file": "os.utime('here')",
    "change a mode": "os.chmod('here', 0o600)",
}
OTHERS = {
    "fork": "child(os.fork())",
    "clone": "child(number((56, 220), 17, 0, 0, 0, 0))",
    "a program": "subprocess.run(['/bin/true'])",
    "a thread": "joined(threading.Thread(target=int))",
    "a signal to another process": "number((62, 129), target, 0) + 1",
    "a signal by tgkill": "number((234, 131), target, target, 0) + 1",
    "a descriptor of a process": "number((434, 434), target, 0)",
    "the limits of a process": "number((302, 261), target, 7, None, at()) + 1",
    "a higher limit": "resource.setrlimit(7, resource.getrlimit(7))",
    "ptrace": "number((101, 117), 0x4206, target, 0, 0) + 1",
    "a process's memory": "number((310, 270), target, at(), 0, at(), 0, 0) + 1",
    "the clock of a process": "number((228, 113), (~target << 3) | 2, at()) + 1",
    "a sleep by the clock of a process": "number((230, 115), (~target << 3) | 2, 0, at(16384), None) + 1",
    "the priority of a process": "os.getpriority(os.PRIO_PROCESS, target)",
    "the processors of a process": "os.sched_getaffinity(target)",
    "executable memory": "number((9, 222), None, 4096, 7, 0x22, -1, 0)",
    "memory made executable": "number((10, 226), own, 4096, 5) + 1",
    "shared memory": "number((9, 222), None, 4096, 3, 0x21, -1, 0)",
    "memory at a place": "number((9, 222), own, 4096, 3, 0x32, -1, 0)",
    "memory that is kept from children": "number((28, 233), own, 4096, 10) + 1",
    "memory moved to a place": "number((25, 216), own, 4096, 4096, 3, own + 4096)",
    "a futex that inherits priorities": "number((202, 98), at(32768), 6, 0, 0, 0, 0) + 1",
    "the name of the computer": "os.uname()",
    "the user": "number((102, 174)) + 1",
    "how long the computer runs": "number((99, 179), at()) + 1",
    "a handler of signals": "signal.signal(signal.SIGUSR1, signal.SIG_IGN) or 1",
    "a timer of the processor": "signal.setitimer(signal.ITIMER_VIRTUAL, 0)",
    "write to another descriptor": "os.write(devnull, b'x')",
    "read from another descriptor": "len(os.read(devnull, 1)) + 1",
    "set a descriptor free": "os.close(devnull) or 1",
    "a control of a descriptor": "number((72, 25), 1, 1) + 1",
}  # fmt: skip
ONLY_LOCKED = {  # what would do harm, or takes root, where nothing is locked
    "exec": "os.execv('/bin/true', ['true'])",
    "the clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "the host's name": "socket.sethostname('x')",
    "another user": "os.setuid(65534)",
    "another root": "os.chroot('/')",
    "a mount": "number((165, 40), b'none', b'/', b'tmpfs', 0, 0)",
    "another namespace": "number((272, 97), 0x10000000)",
    "BPF": "number((321, 280), 5, at(), 120)",
    "keys": "number((250, 219), 0, -3, 1)",
    "what was counted of the processor": "number((298, 241), at(), 0, -1, -1, 0)",
    "a page fault handled here": "number((323, 282), 1)",
}
ATTEMPTS = {**NEED_A_DESCRIPTOR, **NEED_A_PATH, **ASK_FOR_A_PATH, **OTHERS, **ONLY_LOCKED}


OFTEN_CLOSED = {"io_uring", "ptrace", "a process's memory", "a handle by name", "a new library"}  # by a system's owner


def command_of(
    attempts: dict[str, str], before: str, locks: str = _LOCKS, also: str = "", target: int = 0
) -> list[str]:
    """What to execute to try them in a locked process, after `before`; `also` runs when it is locked."""
    opened = "devnull = os.open(os.devnull, os.O_RDWR); layers = {}"
    script = f"{_SCRIPT}\n{opened}\n{before}\n{locks}\n{also}\n{_ANSWER}"
    return [sys.executable, "-c", script, str(target), str(ROOT), json.dumps(attempts)]


def tried(folder: Path, attempts: dict[str, str], before: str = "", locks: str = _LOCKS) -> tuple[Any, dict[str, str]]:
    """The layers, and what became of each attempt, in a process in this folder; `before` may take a lock away."""
    (folder / "here").write_text("kept")
    (folder / "there").write_text("kept")
    if not (folder / "link").exists():
        (folder / "link").symlink_to("here")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        command = command_of(attempts, before, locks, target=bystander.pid)
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60)
        assert bystander.poll() is None
        bystander.communicate(b"\n")
    assert done.returncode == 0, done.stderr
    layers, results = json.loads(done.stdout)
    return layers, results
