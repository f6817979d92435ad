"""The fork server's own process: everything is imported and warmed once, then each request forks a worker in
milliseconds. It never runs a snippet itself, and the worker that it forks closes its own locks before it is READY.

One message each way is one packet on the socket at descriptor 0: a request comes with the two descriptors of the
worker's pipe, the answer brings a descriptor of the process, a second answer says how it ended. Linux only; the
program's side is `forkserver`.
"""

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

from gradviz.worker.parent import end_with_parent

SERVER_FLAG = "--gv-forkserver"
PACKET = 8192  # bytes of a message, at most
STACK_MB = 4096  # more than the resident memory that a run may have
SIGNALS_ARE_LOST = (3, 13)  # from this Python on in what a thread has forked: a run would never be looked at
_OVERCOMMIT, _NEVER = "/proc/sys/vm/overcommit_memory", "2"


@dataclass(frozen=True)
class Order:
    """What the program asks for: a worker with so much memory in this empty folder."""

    memory_mb: int
    scratch: str


@dataclass(frozen=True)
class Child:
    """A worker that was forked."""

    pid: int
    scratch: str


def on_deep_stack(work: Callable[[int], NoReturn]) -> NoReturn:
    """Call `work` where the stack of C has so many MB as it is told, 0 where none is reserved: in a thread of its own.
    A child that is forked there has that thread alone.

    A chain of a million objects takes little memory, but Python goes down it when it dies, and some of its classes need
    more than the system's 8 MB for that. With more stack than memory a run is ended for its memory, in a sentence.
    """

    def begin() -> None:
        try:
            context.run(work, STACK_MB)
        finally:
            os._exit(1)

    context = copy_context()  # NumPy keeps there what it does about errors
    try:
        with open(_OVERCOMMIT, encoding="ascii") as file:
            is_counted = file.read().strip() == _NEVER  # then each child has so much less that it could use
        if not is_counted and sys.version_info < SIGNALS_ARE_LOST:
            threading.stack_size(STACK_MB << 20)
            thread = threading.Thread(target=begin, name="gradviz-forks")
            thread.start()
            thread.join()
    except (OSError, RuntimeError):
        threading.stack_size(0)
    work(0)


def serve_forks() -> Order:
    """Fork what is asked for until the program is gone. Returns in each child, as the worker that it is to be: its
    pipe is at 0 and 1."""
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
    """The program is gone, and with it each worker, perhaps before it has removed its folder."""
    for child in children.values():
        with contextlib.suppress(OSError):
            os.kill(child.pid, signal.SIGKILL)
            os.rmdir(child.scratch)
    forget_orders()
    os._exit(0)


def forget_orders() -> None:
    """The program is gone: the folders of the workers that it had asked for go, too."""
    with contextlib.suppress(OSError, ValueError), socket.socket(fileno=os.dup(0)) as control:
        while message := control.recv(PACKET, socket.MSG_DONTWAIT):
            with contextlib.suppress(OSError):
                os.rmdir(Order(**json.loads(message)).scratch)


def _send(control: socket.socket, message: dict[str, int], descriptors: list[int]) -> bool:
    """False if the program is gone."""
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
    """A child keeps nothing of the server's."""
    control.close()
    for handle in children:
        os.close(handle)


def _become(order: Order, pipe: list[int]) -> Order:
    os.setsid()
    for target, end in enumerate(pipe):
        os.dup2(end, target)
        os.close(end)
    with contextlib.suppress(OSError):  # the program may be gone, and the folder with it
        os.chdir(order.scratch)
        os.rmdir(order.scratch)  # nobody is left to do it if the program is killed
    return order
