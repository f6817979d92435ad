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
import socket
from dataclasses import dataclass

SERVER_FLAG = "--gv-forkserver"
PACKET = 8192  # bytes of a message, at most


@dataclass(frozen=True)
class Order:
    """What the program asks for: a worker with so much memory in this empty folder."""

    memory_mb: int
    scratch: str


def serve_forks() -> Order:
    """Fork what is asked for until the program is gone. Returns in each child, as the worker that it is to be: its
    pipe is at 0 and 1."""
    control = socket.socket(fileno=os.dup(0))
    children: dict[int, int] = {}  # descriptor of the process -> its number
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor in children:
                poll.unregister(descriptor)
                _tell_end(control, descriptor, children.pop(descriptor))
                continue
            message, pipe, _, _ = socket.recv_fds(control, PACKET, 2)
            if not message:
                os._exit(0)
            pid = os.fork()
            if not pid:
                _leave(control, children)
                return _become(Order(**json.loads(message)), pipe)
            for end in pipe:
                os.close(end)
            handle = os.pidfd_open(pid)
            children[handle] = pid
            poll.register(handle, select.POLLIN)
            _send(control, {"pid": pid}, [handle])


def _send(control: socket.socket, message: dict[str, int], descriptors: list[int]) -> None:
    try:
        socket.send_fds(control, [json.dumps(message).encode()], descriptors)
    except OSError:  # the program is gone
        os._exit(0)


def _tell_end(control: socket.socket, handle: int, pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    os.close(handle)
    _send(control, {"ended": pid, "status": os.waitstatus_to_exitcode(status)}, [])


def _leave(control: socket.socket, children: dict[int, int]) -> None:
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
    os.environ["HOME"] = order.scratch
    return order
