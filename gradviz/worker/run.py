"""One run of a snippet as the program sees it: its request, its limits, and what the worker says of it, checked.

A thread per run watches the clock, the processor time and the memory; whatever goes too far is ended by killing the
process, and what it had already sent is still delivered. Which worker it gets is decided in `client`; the process
itself is in `process`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from gradviz.worker.events import Batch, Detail, Done, Event, Output
from gradviz.worker.limits import Limits
from gradviz.worker.process import WorkerProcess
from gradviz.worker.protocol import Frame, FrameKind, ProtocolError, count_field, text_field
from gradviz.worker.usage import Usage, usage

_POLL_SECONDS = 0.05
AT_ONCE = 30_000  # characters that a worker's pipe surely takes without waiting
WORKER_STATUSES = ("ok", "raised", "refused", "limit")
DIED = "The worker process ended unexpectedly{how}. It has been replaced, and nothing you typed is lost."


class Run:
    """One run of a snippet, from `WorkerPool.start` to its `Done`."""

    def __init__(
        self,
        source: str,
        filename: str,
        limits: Limits,
        on_event: Callable[[Event], None],
        question: tuple[int, int] | None = None,
    ) -> None:
        self._limits = limits
        self._on_event = on_event
        self._source = source
        bounds = {"output_chars": limits.output_chars, "values_mb": limits.values_mb}
        self._request_header = {"source": source, "filename": filename, "limits": bounds, "question": question}
        self._verdict: Done | None = None
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._worker: WorkerProcess | None = None
        self._begun = time.monotonic()
        self._asked = False
        self._before: Usage | None = None
        self._printed = self._steps = self._bytes = 0
        self.result: Done | None = None

    def stop(self) -> None:
        """End the run now; `Done("stopped")` follows. Without effect once it has ended."""
        self._end_with(Done("stopped", Detail("The run was stopped.")))

    def wait(self, timeout: float | None = None) -> Done | None:
        """Block until `Done` was delivered; returns it, or None after `timeout` seconds."""
        return self.result if self._finished.wait(timeout) else None

    # --- called by the pool and its threads ---

    def attach(self, worker: WorkerProcess, request: int) -> None:
        """Begin on this worker: its reader thread delivers, a watching thread enforces the limits."""
        self._worker = worker
        self._request = request
        self._watcher = threading.Thread(target=self._watch, name="gradviz-run", daemon=True)
        worker.listen(self._on_frame, self._on_end)
        if worker.is_ready and len(self._source) <= AT_ONCE:  # it need not wait for a thread's turn
            self._ask(worker)
        self._watcher.start()

    def join(self) -> None:
        """Wait until the watching thread is over; the run has ended or its worker was killed."""
        if threading.current_thread() is not self._watcher:
            self._watcher.join()

    def _end_with(self, verdict: Done) -> None:
        with self._lock:
            if self._verdict is not None or self._finished.is_set():
                return
            self._verdict = verdict
        if self._worker is not None:
            self._worker.kill()

    def _limit(self, sentence: str) -> None:
        self._end_with(Done("limit", Detail(f"The run was stopped because it {sentence}.")))

    def _ask(self, worker: WorkerProcess) -> None:
        self._before = usage(worker.pid)
        self._begun = time.monotonic()
        self._asked = True
        worker.send(Frame(FrameKind.RUN, self._request, self._request_header))

    def _watch(self) -> None:
        worker, limits = self._worker, self._limits
        assert worker is not None
        if not self._asked:
            if not worker.wait_ready(limits.start_seconds):
                worker.kill()
                return
            self._ask(worker)
        before = self._before
        while not self._finished.wait(_POLL_SECONDS):
            now = usage(worker.pid)
            if time.monotonic() - self._begun > limits.wall_seconds:
                self._limit(f"took longer than {limits.wall_seconds:g} seconds")
            elif now is None or before is None:
                continue
            elif now.cpu_seconds - before.cpu_seconds > limits.cpu_seconds:
                self._limit(f"used more than {limits.cpu_seconds:g} seconds of processor time")
            elif now.resident > limits.memory_mb << 20:
                self._limit(f"asked for more than {limits.memory_mb:,} MB of memory")

    def _on_frame(self, frame: Frame) -> None:
        if frame.request != self._request:
            raise ProtocolError("a message belongs to another run")
        if frame.kind is FrameKind.OUTPUT:
            self._take_output(frame)
        elif frame.kind is FrameKind.BATCH:
            self._take_batch(frame)
        elif frame.kind is FrameKind.DONE:
            self._take_done(frame)
        else:
            raise ProtocolError(f"a {frame.kind.name} message was not expected")

    def _take_output(self, frame: Frame) -> None:
        stream = text_field(frame.header, "stream", 3)
        if stream not in ("out", "err"):
            raise ProtocolError("unknown output stream")
        text = text_field(frame.header, "text", self._limits.message_bytes)
        room = self._limits.output_chars - self._printed
        self._printed += len(text)
        if room > 0 and text:
            self._on_event(Output(stream, text[:room]))
        if len(text) > room:
            self._limit(f"printed more than {self._limits.output_chars:,} characters")

    def _take_batch(self, frame: Frame) -> None:
        rows = frame.header.get("rows")
        if type(rows) is not dict:
            raise ProtocolError("a batch without rows")
        self._steps += count_field(rows, "steps")
        self._bytes += len(frame.payload)
        self._on_event(Batch(frame.header, frame.payload))
        if self._steps > self._limits.steps:
            self._limit(f"recorded more than {self._limits.steps:,} steps")
        elif self._bytes > self._limits.recorded_bytes:
            self._limit(f"recorded more than {self._limits.recorded_bytes // 1_000_000:,} MB")

    def _take_done(self, frame: Frame) -> None:
        status = text_field(frame.header, "status", 20)
        if status not in WORKER_STATUSES:
            raise ProtocolError("unknown status")
        line = frame.header.get("line", -1)
        sentence, trace, last = (text_field(frame.header, name) for name in ("sentence", "traceback", "last_line"))
        detail = Detail(sentence, line if type(line) is int else -1, trace, last)
        with self._lock:
            verdict = self._verdict = self._verdict or Done(status, detail)
        self._finish(verdict)

    def _on_end(self, how: str, started: bool) -> None:
        """The process is gone: by our own verdict, or by itself."""
        if self._finished.is_set():
            return
        if started:
            died = DIED.format(how=f" ({how})" if how else "")
        else:
            died = f"The worker process could not start{f': {how}' if how else ''}."
        with self._lock:
            verdict = self._verdict = self._verdict or Done("died", Detail(died))
        self._finish(verdict)

    def _finish(self, verdict: Done) -> None:
        seconds = time.monotonic() - self._begun
        self.result = Done(verdict.status, replace(verdict.detail, seconds=seconds))
        if self._worker is not None:
            self._worker.unlisten()
        try:
            self._on_event(self.result)
        finally:
            self._finished.set()
