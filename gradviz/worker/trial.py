"""What a worker tries when its locks are closed, before it takes a snippet: to open a file, to ask whether one is
there, to open a socket and to start a process. So the program knows whether the locks hold on the computer at hand, and
need not believe its own documentation; nothing that was tried is kept. Who calls: `oslock`.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable

_SUSPENDED = 0x4  # a process that is started all the same runs nothing


class Possible(OSError):
    """Something could be done; the message says what."""


def get_ready() -> None:
    """Load what the attempts need, as long as that can be loaded."""
    if os.name == "nt":  # the libraries behind sockets come with the first
        socket.socket().close()


def try_out() -> str:
    """What can be asked, "" if nothing can; Possible if a file, a socket or a process could be had."""
    attempts = {"open a file": _open, "open a socket": _connect, "start a process": _start}
    possible = [name for name, attempt in attempts.items() if _works(attempt)]
    if possible:
        raise Possible(f"it could {' and '.join(possible)}")
    return "asks which files are there" if _works(_ask) else ""


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except FileNotFoundError:  # that it is not there is an answer, too
        return True
    except OSError:
        return False
    return True


def _place() -> str:
    """A file that everybody may read."""
    return rf"{os.environ.get('SYSTEMROOT', '')}\win.ini" if os.name == "nt" else "/etc/passwd"


def _open() -> None:
    os.close(os.open(_place(), os.O_RDONLY))


def _ask() -> None:
    os.stat(_place())


def _connect() -> None:
    socket.socket().close()


def _start() -> None:
    if os.name == "nt":
        shell = rf"{os.environ.get('SYSTEMROOT', '')}\System32\cmd.exe"
        with subprocess.Popen([shell], creationflags=_SUSPENDED) as started:
            started.kill()
        return
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
