"""The program's side of the fork server (`forking`): one process for the whole program, from which it requests workers.
What it returns behaves like a `subprocess.Popen`, as far as `worker_process` needs it.

Started with the first worker; ends with the program, even if that is killed, because its socket closes. If the system
lacks what is needed (anything but Linux), `available` is False, and workers are started one by one."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from typing import IO

from gradviz.worker.process.forking import PACKET, SERVER_FLAG
from gradviz.worker.process.spawn import worker_command, worker_environment

ATTEMPTS = 3  # failed servers in a row before workers are started without one
AWAY = 1  # the status of a worker whose server has gone: unknown


@functools.cache
def available() -> bool:
    """Whether this system supports it: processes as descriptors that can be sent over a socket. Old kernels and some
    containers do not."""
    if not (sys.platform.startswith("linux") and hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")):
        return False
    try:
        handle = os.pidfd_open(os.getpid())
        signal.pidfd_send_signal(handle, 0)
    except OSError:
        return False
    os.close(handle)
    return True


class Forked:
    """A worker that the server has forked, or is about to fork; `stdin` and `stdout` are its pipe."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self.returncode: int | None = None
        self._pid = 0
        self._handle = -1
        self._is_to_end = False
        self._lock = threading.Lock()
        self._begun = threading.Event()
        self._ended = threading.Event()

    @property
    def pid(self) -> int:
        """The number of the process; waits until there is one, a few milliseconds. 0 if there never will be."""
        self._begun.wait()
        return self._pid

    def poll(self) -> int | None:
        """Return the exit status, None while it runs."""
        return self.returncode

    def wait(self) -> int:
        """Block until it has ended; return the exit status."""
        self._ended.wait()
        status = self.returncode
        assert status is not None
        return status

    def kill(self) -> None:
        """End it now, or as soon as it starts."""
        with self._lock:
            self._is_to_end = True
            if self._handle >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    # --- called by the server's reader thread ---

    def begin(self, pid: int, handle: int) -> None:
        """The process has started."""
        with self._lock:
            self._pid, self._handle = pid, handle
        self._begun.set()
        if self._is_to_end:
            self.kill()

    def end(self, status: int) -> None:
        """The process has ended."""
        with self._lock:
            if self._handle >= 0:
                os.close(self._handle)
            self._handle = -1
        self.returncode = status
        self._begun.set()
        self._ended.set()


class ForkServer:
    """The server process, and the thread that reads its messages."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], attempt: int = 1) -> None:
        self.attempt = attempt
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*command, SERVER_FLAG],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment,
                start_new_session=True,
            )
        self._lock = threading.Lock()
        self._asked: deque[Forked] = deque()
        self._running: dict[int, Forked] = {}
        self.is_gone = False
        self._has_served = False  # or was closed, which is not a failure
        self.reader = threading.Thread(target=self._read, name="gradviz-forkserver", daemon=True)
        self.reader.start()

    @property
    def pid(self) -> int:
        """The number of the server's process."""
        return self._process.pid

    def fork(self, memory_mb: int, scratch: str, ahead: bool = True) -> Forked | None:
        """Request a worker; returns at once, None if the server has gone. One that is not `ahead` of a run has its
        caches filled by that run itself."""
        (their_in, our_in), (our_out, their_out) = os.pipe(), os.pipe()
        forked = Forked(open(our_in, "wb", buffering=0), open(our_out, "rb", buffering=0))  # noqa: SIM115 its owner's
        message = json.dumps({"memory_mb": memory_mb, "scratch": scratch, "ahead": ahead}).encode()
        try:
            with self._lock:
                if self.is_gone:
                    raise BrokenPipeError
                socket.send_fds(self._control, [message], [their_in, their_out])
                self._asked.append(forked)
        except OSError:
            for stream in (forked.stdin, forked.stdout):
                assert stream is not None
                stream.close()
            return None
        finally:
            os.close(their_in)
            os.close(their_out)
        return forked

    @property
    def has_failed(self) -> bool:
        """Whether it ended by itself before it forked anything."""
        return self.is_gone and not self._has_served

    def close(self) -> None:
        """End the server; workers that still run end by themselves, because their pipes close."""
        self._has_served = True
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self.reader.join()

    def _read(self) -> None:
        try:
            while True:
                message, handles, _, _ = socket.recv_fds(self._control, PACKET, 1)
                if not message:
                    break
                self._take(json.loads(message), handles)
        except OSError:
            pass
        finally:
            self._end()

    def _take(self, message: dict[str, int], handles: list[int]) -> None:
        with self._lock:
            if "pid" in message:
                self._has_served = True
                forked = self._running[message["pid"]] = self._asked.popleft()
            else:
                forked = self._running.pop(message["ended"])
        if "pid" in message:
            os.set_inheritable(handles[0], False)
            forked.begin(message["pid"], handles[0])
        else:
            forked.end(message["status"])

    def _end(self) -> None:
        """The server has ended, and with it everything that it forked."""
        self._process.kill()
        self._process.wait()
        with self._lock:
            self.is_gone = True
            left = [*self._asked, *self._running.values()]
            self._asked.clear()
            self._running.clear()
            self._control.close()
        for forked in left:
            forked.kill()
            forked.end(AWAY)


_lock = threading.Lock()
_server: ForkServer | None = None


def the_server() -> ForkServer | None:
    """Return the program's fork server, started when it is first needed and restarted if it died; None if several in a
    row could not fork."""
    global _server
    with _lock:
        attempt = _server.attempt + 1 if _server is not None and _server.has_failed else 1
        if attempt > ATTEMPTS:
            return None
        if _server is None or _server.is_gone:
            if _server is None:
                atexit.register(close_server)
            _server = ForkServer(worker_command(), worker_environment("/"), attempt)
        return _server


def close_server() -> None:
    """End the program's fork server; the next worker starts another."""
    if _server is not None:
        _server.close()
