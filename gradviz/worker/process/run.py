"""One run of a snippet as the program sees it: its request, its limits, and what the worker reports about it, checked.

A thread per run watches the clock, the processor time and the memory; whatever exceeds a limit is ended by killing the
process, and what it had already sent is still delivered. `client` decides which worker it gets; the process itself is
in `worker_process`."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gradviz.document.snippet import Attached
from gradviz.worker.process.events import Asked, Batch, Detail, Done, Event, Figure, Missing, Output, Refused, Written
from gradviz.worker.process.limits import (
    LONGEST_WRITTEN,
    MOST_REFUSALS,
    MOST_WRITTEN,
    WRITTEN_BYTES,
    Limits,
    Stopwatch,
    Usage,
    usage,
)
from gradviz.worker.process.protocol import Frame, FrameKind, ProtocolError, count_field, text_field
from gradviz.worker.process.worker_process import WorkerProcess

_POLL_SECONDS = 0.05
IDLE = 0.01  # processor load of a process that only waits
ASLEEP = 5.0  # seconds between two checks of a run after which the machine must have slept
BOUNDS = ("output_chars", "values_mb", "steps", "recorded_bytes", "cpu_seconds")  # which the worker enforces itself
ANSWER_CHARS = 4_000
PROMPT_CHARS = 2_000
OBSTACLE_CHARS = 500  # of a text about one thing that keeps a snippet from running; a hundred of them are listed
STREAMS = ("out", "err", "in")  # "in": what was typed, as a terminal shows it
AT_ONCE = 5_000  # characters, of up to 12 bytes in JSON, that a worker's pipe always accepts without blocking
WORKER_STATUSES = ("ok", "raised", "refused", "limit")
DIED = "The worker process ended unexpectedly{how}. It has been replaced, and nothing you typed is lost."
MORE_TIME = "Use fewer iterations, or allow more time: Run Again with More Time (--time-limit on the command line)."
NO_WAITING = "Leave out what waits for something that does not come."
LESS_MEMORY = "Use smaller tensors, or keep fewer of them."
LESS_PRINTED = "Print less, or less often."
FEWER_STEPS = "The steps recorded so far are kept. Use fewer iterations."
LESS_RECORDED = "What was recorded so far is kept. Use smaller tensors or fewer iterations."


@dataclass(frozen=True)
class Request:
    """How a snippet is run."""

    question: tuple[int, ...] = ()
    cuda_as_cpu: bool = False
    again: bool = False  # another snippet follows in the same process
    iterations: str = ""  # which iterations of a training are recorded, see `chosen.Choice`; "": all that fit
    gaps: Sequence[tuple[int, int]] = ()  # of the recording that the question is about
    arguments: Sequence[str] = ()  # of the script


PLAIN = Request()


class Run:
    """One run of a snippet, from `WorkerPool.start` to its `Done`."""

    def __init__(
        self,
        source: str,
        filename: str,
        limits: Limits,
        on_event: Callable[[Event], None],
        files: Sequence[Attached] = (),
        how: Request = PLAIN,
    ) -> None:
        self._limits = limits
        self._files = tuple(files)
        self._on_event = on_event
        self._source = source
        bounds = {name: getattr(limits, name) for name in BOUNDS}
        self._request_header = {"source": source, "filename": filename, "limits": bounds} | vars(how)
        self._verdict: Done | None = None
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._worker: WorkerProcess | None = None
        self._watcher: threading.Thread | None = None
        self._clock = Stopwatch()
        self._times = 1  # factor of the time limits
        self._sent = False
        self._asking = False  # input() waits for `answer`
        self._before: Usage | None = None
        self._cpu_seconds = 0.0
        self._computed = (0.0, 0.0)  # when it was last seen to compute, and its processor time then
        self._files_written = _WrittenFiles()
        self._printed = self._steps = self._figures = self._bytes = 0
        self.result: Done | None = None

    def stop(self) -> None:
        """End the run now; `Done("stopped")` follows. No effect once it has ended."""
        self._end_with(Done("stopped", Detail("The run was stopped.")))

    def answer(self, text: str | None) -> None:
        """Provide what input() returns, None for the end of the input. No effect if nothing was `Asked`."""
        with self._lock:
            if not self._asking:
                return
            self._asking = False
        worker = self._worker
        assert worker is not None
        self._clock.release()
        frame = Frame(FrameKind.ANSWER, self._request, {"text": None if text is None else text[:ANSWER_CHARS]})
        _send_aside(worker, frame)

    def keep_going(self) -> None:
        """Extend the time limits by the same time again, on the clock and of the processor."""
        self._times += 1

    @property
    def seconds_left(self) -> float:
        """Return the seconds until a time limit stops it; no limit while a question waits."""
        if self._asking or not self._sent:
            return math.inf
        limits, times = self._limits, self._times
        return min(times * limits.wall_seconds - self._clock.seconds, times * limits.cpu_seconds - self._cpu_seconds)

    def wait(self, timeout: float | None = None) -> Done | None:
        """Block until `Done` was delivered; return it, or None after `timeout` seconds."""
        return self.result if self._finished.wait(timeout) else None

    # --- called by the pool and its threads ---

    @property
    def has_begun(self) -> bool:
        """Whether the worker has received it."""
        return self._sent

    def attach(self, worker: WorkerProcess, request: int) -> None:
        """Begin on this worker: its reader thread delivers, a watching thread enforces the limits."""
        self._worker = worker
        self._request = request
        self._watcher = threading.Thread(target=self._watch, name="gradviz-run", daemon=True)
        worker.listen(self._on_frame, self._on_end)
        if worker.is_ready and len(self._source) <= AT_ONCE and not self._files:  # it need not wait for a thread's turn
            self._send(worker)
        self._watcher.start()

    def could_not_start(self, why: str) -> None:
        """Report that there is no worker for it, and why."""
        self._finish(Done("died", Detail(f"The worker process could not start: {why}. Nothing you typed is lost.")))

    def join(self) -> None:
        """Wait until the watching thread has ended; the run has ended or its worker was killed."""
        if self._watcher is not None and threading.current_thread() is not self._watcher:
            self._watcher.join()

    def _end_with(self, verdict: Done) -> None:
        with self._lock:
            if self._verdict is not None:
                return
            self._verdict = verdict
            has_begun = self._sent
        assert self._worker is not None
        if has_begun:
            self._worker.kill()
        else:  # it has not received this run and serves the next one
            self._finish(verdict)

    def _limit(self, what: str, advice: str) -> None:
        self._end_with(Done("limit", Detail(f"The run was stopped because it {what}. {advice}")))

    def _send(self, worker: WorkerProcess) -> None:
        with self._lock:
            if self._verdict is not None:
                return
            self._sent = True
        self._before = usage(worker.pid)
        self._clock.restart()
        frame = Frame(FrameKind.RUN, self._request, self._request_header)
        if len(self._source) <= AT_ONCE and not self._files:
            worker.send(frame)
        else:
            files = [Frame(FrameKind.FILE, self._request, {"name": each.name}, each.data) for each in self._files]
            _send_aside(worker, *files, frame)

    def _watch(self) -> None:
        worker = self._worker
        assert worker is not None
        if not self._sent:
            if not worker.wait_ready(self._limits.start_seconds):
                if self.result is None:
                    worker.kill()
                return
            self._send(worker)
        looked = time.monotonic()
        while not self._finished.wait(_POLL_SECONDS):
            since, looked = looked, time.monotonic()
            if looked - since > ASLEEP:
                self._clock.forgive(looked - since)
            self._look(worker)

    def _look(self, worker: WorkerProcess) -> None:
        """End it if it has exceeded a limit."""
        limits, now = self._limits, usage(worker.pid)
        wall, cpu = self._times * limits.wall_seconds, self._times * limits.cpu_seconds
        clock = self._clock.seconds
        if now is not None and self._before is not None:
            self._cpu_seconds = now.cpu_seconds - self._before.cpu_seconds
            at, then = self._computed
            if self._cpu_seconds > then + IDLE * limits.idle_seconds:
                self._computed = clock, self._cpu_seconds
            elif clock - at > limits.idle_seconds:
                self._limit(f"waited for {_seconds(limits.idle_seconds)} without computing", NO_WAITING)
        if clock > wall:
            self._limit(f"took longer than {_seconds(wall)}", MORE_TIME)
        elif self._cpu_seconds > cpu:
            self._limit(f"used more than {_seconds(cpu)} of processor time", MORE_TIME)
        elif now is not None and now.resident > limits.memory_mb << 20:
            self._limit(f"asked for more than {limits.memory_mb:,} MB of memory", LESS_MEMORY)

    def _on_frame(self, frame: Frame) -> None:
        if frame.request != self._request:
            raise ProtocolError("a message belongs to another run")
        if self._asking:
            raise ProtocolError("a message came while a question waits for its answer")
        self._bytes += frame.size
        if frame.kind is FrameKind.OUTPUT:
            self._take_output(frame)
        elif frame.kind is FrameKind.BATCH:
            self._take_batch(frame)
        elif frame.kind is FrameKind.FIGURE:
            self._take_figure(frame)
        elif frame.kind is FrameKind.ASK:
            self._take_question(frame)
        elif frame.kind is FrameKind.FILE:
            self._deliver(self._files_written.checked(frame))
        elif frame.kind is FrameKind.DONE:
            self._take_done(frame)
        else:
            raise ProtocolError(f"a {frame.kind.name} message was not expected")
        if self._bytes > self._limits.recorded_bytes:
            self._limit(f"recorded more than {self._limits.recorded_bytes // 1_000_000:,} MB", LESS_RECORDED)

    def _deliver(self, event: Event) -> None:
        with self._clock.held():  # see Note [Held back] in `events`
            self._on_event(event)

    def _take_output(self, frame: Frame) -> None:
        stream = text_field(frame.header, "stream", 3)
        if stream not in STREAMS:
            raise ProtocolError("unknown output stream")
        text = text_field(frame.header, "text", self._limits.message_bytes)
        room = self._limits.output_chars - self._printed
        self._printed += len(text)
        if room > 0 and text:
            self._deliver(Output(stream, text[:room]))
        if len(text) > room:
            self._limit(f"printed more than {self._limits.output_chars:,} characters", LESS_PRINTED)

    def _take_batch(self, frame: Frame) -> None:
        rows = frame.header.get("rows")
        if type(rows) is not dict:
            raise ProtocolError("a batch without rows")
        self._steps += count_field(rows, "steps")
        self._deliver(Batch(frame.header, frame.payload, frame.size))
        if self._steps > self._limits.steps:
            self._limit(f"recorded more than {self._limits.steps:,} steps", FEWER_STEPS)

    def _take_figure(self, frame: Frame) -> None:
        from gradviz.trace.figures import MOST_FIGURES, MOST_NUMBERS

        self._figures += 1
        if self._figures > MOST_FIGURES or len(frame.payload) > 8 * MOST_NUMBERS:
            raise ProtocolError("a plot too many, or too large")
        self._deliver(Figure(frame.header, frame.payload))

    def _take_question(self, frame: Frame) -> None:
        prompt = text_field(frame.header, "prompt", PROMPT_CHARS)
        self._clock.hold()
        self._asking = True
        self._deliver(Asked(prompt))

    def _take_done(self, frame: Frame) -> None:
        status = text_field(frame.header, "status", 20)
        if status not in WORKER_STATUSES:
            raise ProtocolError("unknown status")
        with self._lock:
            verdict = self._verdict = self._verdict or Done(status, _detail(frame))
        self._finish(verdict)

    def _on_end(self, how: str, started: bool) -> None:
        """Called when the process has ended: by our own decision, or by itself."""
        if started:
            died = DIED.format(how=f" ({how})" if how else "")
        else:
            died = f"The worker process could not start{f': {how}' if how else ''}."
        with self._lock:
            verdict = self._verdict = self._verdict or Done("died", Detail(died))
        self._finish(verdict)

    def _finish(self, verdict: Done) -> None:
        with self._lock:
            if self.result is not None:
                return
            self._asking = False
            self.result = Done(verdict.status, replace(verdict.detail, seconds=self._clock.seconds))
        if self._worker is not None:
            self._worker.unlisten()
        try:
            self._on_event(self.result)
        finally:
            self._on_event = _to_nobody  # the listener may hold this run, and what was made from it
            self._finished.set()


class _WrittenFiles:
    """The number and size of files that a run has written."""

    def __init__(self) -> None:
        self._count = self._bytes = 0

    def checked(self, frame: Frame) -> Written:
        """Return the next file; raises ProtocolError if it is invalid, or one too many."""
        self._count += 1
        self._bytes += len(frame.payload)
        if self._count > MOST_WRITTEN or self._bytes > WRITTEN_BYTES:
            raise ProtocolError("too many files, or too large")
        name, size = text_field(frame.header, "name", LONGEST_WRITTEN), count_field(frame.header, "size")
        return Written(name, frame.payload, size, frame.header.get("objects") is True)


def _to_nobody(_: Event) -> None:
    """Ignore events after the end."""


def _seconds(count: float) -> str:
    """ "1 second", "0.5 seconds"."""
    return f"{count:g} second{'' if count == 1 else 's'}"


def _detail(frame: Frame) -> Detail:
    """Return what a worker says about the end."""
    sentence, trace, last = (text_field(frame.header, name) for name in ("sentence", "traceback", "last_line"))
    return Detail(sentence, _line(frame.header.get("line")), trace, last, _refusals(frame), _missing(frame))


def _line(given: object) -> int:
    """Return the number of a line, -1 for what can be none: an editor counts them with 32 bits."""
    return given if type(given) is int and 0 < given < 1 << 31 else -1


def _refusals(frame: Frame) -> tuple[Refused, ...]:
    """Return every refusal in a text; raises ProtocolError for anything else."""
    given = frame.header.get("refusals", [])
    if type(given) is not list or len(given) > MOST_REFUSALS:
        raise ProtocolError("no list of refusals")
    for each in given:
        if type(each) is not list or [type(part) for part in each] != [int, str, str]:
            raise ProtocolError("no refusal")
    return tuple(Refused(_line(line), what[:OBSTACLE_CHARS], advice[:OBSTACLE_CHARS]) for line, what, advice in given)


def _missing(frame: Frame) -> tuple[Missing, ...]:
    """Return all uses of missing things; raises ProtocolError for anything else."""
    given = frame.header.get("missing", [])
    if type(given) is not list or len(given) > MOST_REFUSALS:
        raise ProtocolError("no list of what is missing")
    for each in given:
        if type(each) is not list or [type(part) for part in each] != [str, str, str, list]:
            raise ProtocolError("nothing that could be missing")
        if len(each[3]) > MOST_REFUSALS or any(type(line) is not int for line in each[3]):
            raise ProtocolError("no lines")
    return tuple(
        Missing(path[:OBSTACLE_CHARS], written[:OBSTACLE_CHARS], sentence[:OBSTACLE_CHARS], tuple(map(_line, lines)))
        for path, written, sentence, lines in given
    )


def _send_aside(worker: WorkerProcess, *frames: Frame) -> None:
    """Send from a separate thread: a worker that does not read must block neither the caller nor the watching
    thread."""

    def send() -> None:
        for frame in frames:
            worker.send(frame)

    threading.Thread(target=send, name="gradviz-sending", daemon=True).start()
