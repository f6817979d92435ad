"""The file of a recording in progress, which a job that is killed leaves whole up to its last batch, and the one place
where an error of the recorder ends: it ends the recording, and the job goes on. What PyTorch or the job calls is
`guarded`; none of that runs operations, hooks or other code of the job, whose errors are its own."""

from __future__ import annotations

import functools
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar, cast

from gradviz.trace.table.encoding import Writer
from gradviz.trace.table.recording import About, Ending, RecordingWriter

F = TypeVar("F", bound=Callable[..., Any])
Plainly = Callable[[], AbstractContextManager[object]]
EVERY = 8_000_000  # bytes after which a batch is written
FAILED = "The recorder failed ({}): the recording ends here, and the job goes on."
INTERRUPTED = "{} came while a step was being recorded: the recording ends before it."
NEVER_WITHIN = 0.02  # seconds: to ask how much there is takes time, too
AT_LEAST = 1.0  # seconds after which one is written in any case: a killed job loses no more


class Output:
    """The file. Once it `is_over`, nothing is recorded any more. Tensors are read `plainly`, without notice to the
    `__torch_function__` of the job."""

    def __init__(self, path: Path, about: About, writer: Writer, plainly: Plainly = nullcontext) -> None:
        self._file = open(path, "wb")  # noqa: SIM115  closed when the recording is over
        self._blocks = RecordingWriter(self._file, about)
        self._writer = writer
        self.plainly = plainly
        self._wrote = self._asked = self._began = time.monotonic()
        self.is_over = False
        self.fault = ""  # why it ended before the job, as long as nobody was told

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._blocks.size

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._began

    def write(self, at_least: int = EVERY) -> None:
        """Write a batch, if there is enough for one or it is time."""
        now = time.monotonic()
        if now - self._asked < NEVER_WITHIN and at_least == EVERY:
            return
        self._asked = now
        if self._writer.size >= (1 if now - self._wrote > AT_LEAST else at_least):
            self._wrote = now
            self._blocks.batch(self._writer.take())

    def end(self, ending: Ending) -> None:
        """Write what is left, and how it ended."""
        self.write(1)
        self._close(ending)
        self.is_over = True

    def leave(self) -> None:
        """This is a child process, such as a worker that loads data: the file is its parent's."""
        self.is_over = True

    def ended_by(self, error: BaseException) -> bool:
        """End the recording where the recorder raised an error: rows since the last batch may be incomplete. Returns
        whether it is an error of the recorder, and not one that came from outside, as Ctrl+C does."""
        is_own = isinstance(error, Exception) and not _is_from_a_signal(error)
        if not self.is_over:
            self.is_over = True
            self.fault = (FAILED if is_own else INTERRUPTED).format(_told(error))
            self.tell()
        return is_own

    def tell(self) -> None:
        """Write down and say what ended the recording before the job, unless that is done."""
        fault, self.fault = self.fault, ""
        if fault:
            _try(lambda: self._close(Ending("stopped", fault, seconds=self.seconds)))
            _try(lambda: sys.stderr.write(f"gradviz: {fault}\n"))

    def _close(self, ending: Ending) -> None:
        try:
            self._blocks.end(ending)
        finally:
            self._file.close()


def guarded(method: F) -> F:
    """A method of something that has an `output`: its errors end the recording; then, and from then on, it returns
    None."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        output = self.output
        if output.is_over:
            return None
        try:
            with output.plainly():
                return method(self, *args, **kwargs)
        except RecursionError:  # there is no room to say so now
            output.is_over, output.fault = True, FAILED.format("RecursionError")
            return None
        except BaseException as error:
            if not output.ended_by(error):
                raise
            return None

    return cast(F, run)


def _try(what: Callable[[], object]) -> None:
    """The disk may be full, and nobody may listen."""
    try:
        what()
    except Exception:  # noqa: BLE001  the job goes on in any case
        return


def _told(error: BaseException) -> str:
    """Kind and text of an error, and where it came from."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    kind = traceback.format_exception_only(error)[-1].strip()
    return f"{kind} in {Path(at.filename).name}, line {at.lineno}" if isinstance(error, Exception) else kind


def _is_from_a_signal(error: BaseException) -> bool:
    """Whether a function that the job has set for a signal raised this, such as one for a limit of time."""
    handlers = [_code_of(signal.getsignal(each)) for each in signal.valid_signals()]
    return any(frame.f_code in handlers for frame, _ in traceback.walk_tb(error.__traceback__))


def _code_of(handler: Any) -> CodeType | None:
    if not callable(handler):
        return None
    handler = getattr(handler, "func", handler)
    return getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
