"""One worker process as its parent sees it: started with a clean environment in an empty scratch folder, read by a
separate thread.

The reader thread decodes frames and passes them to the listener; when the stream ends it reaps the process and empties
the scratch folder, and says in words how the process ended unless it was ended on purpose. Malformed bytes end the
process: a worker that breaks the protocol is not asked again."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Mapping

from gradviz.worker.locks.layers import merged
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.protocol import Frame, FrameKind, ProtocolError, encode, read_frame, text_field
from gradviz.worker.process.starting import not_ready, prepare, start

_WINDOWS = {  # the statuses with which Windows ends a process, as far as they can occur in a worker
    0xC0000005: "it accessed memory that is not its own",
    0xC0000017: "Windows had no memory left",
    0xC000001D: "the processor does not know an instruction",
    0xC0000044: "it used up its processor time",
    0xC00000FD: "its stack overflowed",
    0xC0000135: "a library is missing",
    0xC0000142: "a library could not start",
    0xC000013A: "it was interrupted",
    0xC0000374: "its memory was damaged",
    0xC0000409: "it ended itself after a fatal error",
}


def how_it_ended(code: int | None, on_windows: bool = os.name == "nt") -> str:
    """Return what the exit status means, "" if nothing."""
    if not code:
        return ""
    if on_windows:
        return _WINDOWS.get(code & 0xFFFFFFFF, f"exit status {code & 0xFFFFFFFF:#x}" if code >> 16 else _status(code))
    if code > 0:
        return _status(code)
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _status(code: int) -> str:
    return f"exit status {code}"


SCRATCH = "gradviz-"  # prefix of the scratch folders' names
FORGOTTEN = 3600.0  # seconds after which one must belong to a program that was killed
OnFrame = Callable[[Frame], None]
OnEnd = Callable[[str, bool], None]


class WorkerProcess:
    """A process that is getting ready, idle, or working for one listener."""

    def __init__(
        self,
        limits: Limits,
        on_gone: Callable[[WorkerProcess], None] = lambda worker: None,
        command: list[str] | None = None,
        ahead: bool = True,
    ) -> None:
        self.layers: Mapping[str, str] = {}
        self._limits = limits
        self._on_gone = on_gone
        self._ready = threading.Event()
        self._gone = threading.Event()
        self._lock = threading.Lock()
        self._failure = ""
        self._started = False
        self._listener: tuple[OnFrame, OnEnd] | None = None
        if command is None:
            prepare()  # to keep the time short in which a killed program leaves a folder
        self._scratch = _scratch_folder()
        try:
            started = start(command, self._scratch, limits, ahead)
        except OSError:
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise
        self._process, self._outside, self._release = started.process, started.layers, started.release
        self._was_killed = False
        self._reader = threading.Thread(target=self._read, name="gradviz-worker-reader", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it still runs, as far as is known."""
        return not self._gone.is_set() and self._process.poll() is None

    @property
    def is_ready(self) -> bool:
        """Whether it has said READY and has not ended."""
        return self._started and self._ready.is_set() and not self._gone.is_set()

    def wait_ready(self, timeout: float) -> bool:
        """Block until it has said READY; False if it never will."""
        if not self._ready.wait(timeout):
            self._failure = f"it was not ready after {timeout:g} seconds"
            not_ready(self._outside)
        return self._started and not self._gone.is_set()

    def listen(self, on_frame: OnFrame, on_end: OnEnd) -> None:
        """Send frames to `on_frame`, and the end of the process to `on_end`, at once if it has ended."""
        with self._lock:
            self._listener = (on_frame, on_end)
            gone = self._gone.is_set()
        if gone:
            on_end(self._how_it_ended(), self._started)

    def unlisten(self) -> None:
        """Stop sending frames to a listener."""
        with self._lock:
            self._listener = None

    def send(self, frame: Frame) -> None:
        """Write a frame; the reader notices if the process has gone."""
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError, ValueError):
            left = memoryview(encode(frame))
            while left:
                left = left[stdin.write(left) or 0 :]

    def kill(self) -> None:
        """End it now; what it had sent is still read."""
        self._was_killed = True
        with contextlib.suppress(OSError):
            self._process.kill()

    def join(self) -> None:
        """Wait until the process is reaped and the reader thread has ended."""
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            while (frame := read_frame(stdout.read, self._limits.message_bytes)) is not None:
                self._dispatch(frame)
        except ProtocolError as error:
            self._failure = self._failure or f"it sent a wrong message: {error}"
        except OSError as error:
            self._failure = self._failure or str(error)
        finally:
            self._end()

    def _dispatch(self, frame: Frame) -> None:
        if frame.kind is FrameKind.READY and not self._ready.is_set():
            layers = frame.header.get("layers")
            if type(layers) is not dict:
                raise ProtocolError("a READY message without layers")
            inside = {str(name)[:40]: str(state)[:200] for name, state in layers.items()}
            self.layers = merged(inside, self._outside)
            self._started = True
            with contextlib.suppress(OSError):  # where a folder in use can be removed, a killed program leaves nothing
                os.rmdir(self._scratch)
            self._ready.set()
        elif frame.kind is FrameKind.FAILED and not self._ready.is_set():
            self._failure = text_field(frame.header, "sentence", 2000)
        else:
            with self._lock:
                listener = self._listener
            if listener is None:
                raise ProtocolError("a message that nobody asked for")
            listener[0](frame)

    def _end(self) -> None:
        if not self._started and not self._was_killed:
            not_ready(self._outside)
        self.kill()
        self._process.wait()
        self._release()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        shutil.rmtree(self._scratch, ignore_errors=True)
        with self._lock:
            self._gone.set()
            listener = self._listener
        self._ready.set()
        if listener is not None:
            listener[1](self._how_it_ended(), self._started)
        self._on_gone(self)

    def _how_it_ended(self) -> str:
        if self._failure:
            return self._failure
        return how_it_ended(self._process.returncode)


def _scratch_folder() -> str:
    try:
        return tempfile.mkdtemp(prefix=SCRATCH)
    except OSError as error:  # Python's own message lists all the places it tried
        raise OSError(error.errno, "no temporary file can be made; make room on the disk, or set TMPDIR") from error


def remove_forgotten() -> None:
    """Remove the empty scratch folders of killed programs: only the user's own, and old ones."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(tempfile.gettempdir())):
            if not re.fullmatch(SCRATCH + r"\w{8}", entry.name) or not entry.is_dir(follow_symlinks=False):
                continue
            found = entry.stat(follow_symlinks=False)
            is_own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            if is_own and found.st_mtime < time.time() - FORGOTTEN:
                with contextlib.suppress(OSError):  # it is not empty
                    os.rmdir(entry.path)
