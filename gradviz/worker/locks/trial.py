"""What a worker tries when its locks are closed, before it takes a snippet: to open a file, to ask whether one exists,
to open a socket and to start a process. So the program knows whether the locks hold on this computer, without having to
trust its own documentation; nothing that was tried remains. Caller: `oslock`."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable

_SUSPENDED = 0x4  # a process that starts nevertheless runs nothing


class Possible(OSError):
    """Something was possible; the message says what."""


def get_ready() -> None:
    """Load what the attempts need while loading is possible."""
    if os.name == "nt":  # the libraries behind sockets are loaded with the first
        socket.socket().close()


def try_out() -> str:
    """Return what can be asked, "" if nothing can; raise Possible if a file, a socket or a process was available."""
    attempts = {"open a file": _open, "open a socket": _connect, "start a process": _start}
    possible = [name for name, attempt in attempts.items() if _works(attempt)]
    if possible:
        raise Possible(f"it could {' and '.join(possible)}")
    return "asks which files are there" if _works(_ask) else ""


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except FileNotFoundError:  # that it does not exist is an answer, too
        return True
    except OSError:
        return False
    return True


def _place() -> str:
    """Return a file that everybody may read."""
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
