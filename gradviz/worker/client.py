"""The program's side of a worker: start one ahead, run a snippet in it, enforce the limits, replace it. Knows nothing
of Qt.

`WorkerPool.start(source, on_event)` calls `on_event` from the worker's reader thread with `Batch`, `Output` and, once
and last, `Done`. A thread per run watches the clock, the processor time and the memory; whatever goes too far is
ended by killing the process, and what it had already sent is still delivered. The process itself is in `process`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from gradviz.worker.events import Batch, Detail, Done, Event, Output
from gradviz.worker.limits import Limits
from gradviz.worker.process import WorkerProcess
from gradviz.worker.protocol import Frame, FrameKind, ProtocolError, count_field, text_field
from gradviz.worker.usage import Usage, usage

_POLL_SECONDS = 0.05
AT_ONCE = 30_000  # characters that a worker's pipe surely takes without waiting
SPARES = 2  # workers that are kept for further runs
_WORKER_STATUSES = ("ok", "raised", "refused", "limit")
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
        if status not in _WORKER_STATUSES:
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


class WorkerPool:
    """Workers for one program: a spare one is warm before it is needed; `reuse` runs several snippets in one
    process, and keeps up to two for two runs at a time."""

    def __init__(self, limits: Limits | None = None, *, reuse: bool = False) -> None:
        self.limits = limits or Limits()
        self._reuse = reuse
        self._lock = threading.Lock()
        self._spares: list[WorkerProcess] = []
        self._workers: set[WorkerProcess] = set()
        self._active: list[Run] = []
        self._layers: Mapping[str, str] = {}
        self._runs = 0
        self._closed = False

    @property
    def layers(self) -> Mapping[str, str]:
        """Which locks the latest ready worker holds ("on", "absent: reason"); empty until one was ready."""
        for worker in tuple(self._workers):
            self._layers = worker.layers or self._layers
        return self._layers

    def warm(self) -> None:
        """Start the spare worker now if there is none; returns at once."""
        with self._lock:
            if not self._closed and not any(spare.is_alive for spare in self._spares):
                self._spares = [self._spawn()]

    def start(
        self,
        source: str,
        on_event: Callable[[Event], None],
        filename: str = "snippet.py",
        question: tuple[int, int] | None = None,
    ) -> Run:
        """Run `source`; `on_event` is called from another thread, the last time with `Done`. `question` asks for the
        paths of a backward call to a tensor, both by their row in the trace."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the worker pool is closed")
            self._spares = [spare for spare in self._spares if spare.is_alive]
            worker = self._spares.pop() if self._spares else self._spawn()
            self._runs += 1
            request = self._runs

        def deliver(event: Event) -> None:
            if isinstance(event, Done):
                self._release(worker, event)
            on_event(event)

        run = Run(source, filename, self.limits, deliver, question)
        self._active = [each for each in self._active if each.result is None] + [run]
        run.attach(worker, request)
        return run

    def close(self) -> None:
        """Kill every worker, and wait until they and their threads are gone."""
        with self._lock:
            self._closed = True
            self._spares.clear()
            workers = list(self._workers)
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()
        for run in self._active:
            run.join()

    def _spawn(self) -> WorkerProcess:
        worker = WorkerProcess(self.limits, on_gone=self._workers.discard)
        self._workers.add(worker)
        return worker

    def _release(self, worker: WorkerProcess, done: Done) -> None:
        """After a run: keep the worker if it may be used again, else kill it and start the next one ahead."""
        with self._lock:
            healthy = self._reuse and done.status in _WORKER_STATUSES and worker.is_alive
            if healthy and len(self._spares) < SPARES and not self._closed:
                self._spares.append(worker)
                return
        worker.kill()
        self.warm()
