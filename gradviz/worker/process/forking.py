"""The fork server's own process: everything is imported and warmed up once, then each request forks a worker in
milliseconds. It never runs a snippet itself, and the worker that it forks applies its own locks before it is READY.

A message in either direction is one packet on the socket at descriptor 0: a request carries the two descriptors of the
worker's pipe, the answer carries a descriptor of the process, and a second answer says how it ended. Linux only; the
program's side is `forkserver`."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from typing import NoReturn

from gradviz.worker.process.parent import end_with_parent

SERVER_FLAG = "--gv-forkserver"
PACKET = 8192  # bytes of a message, at most
STACK_MB = 4096  # more than a run may have of resident memory
SIGNALS_ARE_LOST = (3, 13)  # from this Python on, in a process forked by a thread: a run would never be checked
_OVERCOMMIT, _NEVER = "/proc/sys/vm/overcommit_memory", "2"


@dataclass(frozen=True)
class Order:
    """What the program asks for: a worker with this much memory in this empty folder, and whether it comes before it is
    needed."""

    memory_mb: int
    scratch: str
    ahead: bool = True


@dataclass(frozen=True)
class Child:
    """A worker that was forked."""

    pid: int
    scratch: str


def on_deep_stack(work: Callable[[int], NoReturn]) -> NoReturn:
    """Call `work` with a C stack of as many MB as it is given, 0 if none can be reserved: in a separate thread. A child
    forked there has only that thread.

    A chain of a million objects takes little memory, but Python recurses through it when it is freed, and some of its
    classes need more than the system's 8 MB for that. With more stack than memory, a run ends because of its memory,
    with a clear message. Where what a thread forks gets no signals, the stack of this thread may grow instead."""

    def begin() -> None:
        try:
            context.run(work, STACK_MB)
        finally:
            os._exit(1)

    context = copy_context()  # NumPy keeps its error handling there
    try:
        with open(_OVERCOMMIT, encoding="ascii") as file:
            is_counted = file.read().strip() == _NEVER  # then each child would have that much less to use
        if sys.version_info >= SIGNALS_ARE_LOST:
            import resource  # there is none on Windows, where this module is read, too

            most = resource.getrlimit(resource.RLIMIT_STACK)[1]
            resource.setrlimit(resource.RLIMIT_STACK, (most, most))
        elif not is_counted:
            threading.stack_size(STACK_MB << 20)
            thread = threading.Thread(target=begin, name="gradviz-forks")
            thread.start()
            thread.join()
    except (OSError, RuntimeError):
        threading.stack_size(0)
    work(0)


def serve_forks() -> Order:
    """Fork on request until the program has gone. Returns in each child, as the worker that it is to be: its pipe is at
    0 and 1."""
    control = socket.socket(fileno=os.dup(0))
    children: dict[int, Child] = {}  # by the descriptor of the process
    poll = select.poll()
    poll.register(control, select.POLLIN)
    server = os.getpid()
    while True:
        for descriptor, _ in poll.poll():
            if descriptor in children:
                poll.unregister(descriptor)
                if not _tell_end(control, descriptor, children.pop(descriptor).pid):
                    _end(children)
                continue
            message, pipe, _, _ = socket.recv_fds(control, PACKET, 2)
            if not message:
                _end(children)
            order = Order(**json.loads(message))
            pid = os.fork()
            if not pid:
                end_with_parent(server)
                _leave(control, children)
                return _become(order, pipe)
            for end in pipe:
                os.close(end)
            handle = os.pidfd_open(pid)
            children[handle] = Child(pid, order.scratch)
            poll.register(handle, select.POLLIN)
            if not _send(control, {"pid": pid}, [handle]):
                _end(children)


def _end(children: dict[int, Child]) -> NoReturn:
    """Called when the program has gone, and each worker with it, perhaps before it has removed its folder."""
    for child in children.values():
        with contextlib.suppress(OSError):
            os.kill(child.pid, signal.SIGKILL)
            os.rmdir(child.scratch)
    forget_orders()
    os._exit(0)


def forget_orders() -> None:
    """Called when the program has gone: remove the folders of the workers that it had asked for."""
    with contextlib.suppress(OSError, ValueError), socket.socket(fileno=os.dup(0)) as control:
        while message := control.recv(PACKET, socket.MSG_DONTWAIT):
            with contextlib.suppress(OSError):
                os.rmdir(Order(**json.loads(message)).scratch)


def _send(control: socket.socket, message: dict[str, int], descriptors: list[int]) -> bool:
    """Return False if the program has gone."""
    try:
        socket.send_fds(control, [json.dumps(message).encode()], descriptors)
    except OSError:
        return False
    return True


def _tell_end(control: socket.socket, handle: int, pid: int) -> bool:
    _, status = os.waitpid(pid, 0)
    os.close(handle)
    return _send(control, {"ended": pid, "status": os.waitstatus_to_exitcode(status)}, [])


def _leave(control: socket.socket, children: dict[int, Child]) -> None:
    """Make a child keep nothing of the server's."""
    control.close()
    for handle in children:
        os.close(handle)


def _become(order: Order, pipe: list[int]) -> Order:
    os.setsid()
    for target, end in enumerate(pipe):
        os.dup2(end, target)
        os.close(end)
    with contextlib.suppress(OSError):  # the program may have gone, and the folder with it
        os.chdir(order.scratch)
        os.rmdir(order.scratch)  # nobody else does it if the program is killed
    return order
