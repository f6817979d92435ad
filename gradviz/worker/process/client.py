"""The program's side of a worker: start one ahead, run a snippet in it, replace it. Knows nothing of Qt.

`WorkerPool.start(source, on_event)` calls `on_event` from the worker's reader thread with `Batch`, `Output` and so on,
and once, at the end, `Done`. What a run is, and how its limits are enforced, is in `run`; the process itself is in
`worker_process`.

Note [One-shot] A worker that has run a snippet is never used again: whatever the snippet left in it dies with it, and
the next worker is already warm. Only code that this program wrote itself, from a drawing, runs in a pool with `reuse`:
it contains only calls of operations with literals, no function or class, no assignment to anything but a plain name, so
there is no way for one drawing to affect the next. It runs behind the same policy and locks, and the worker is still
replaced after any run that did not end in good order."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

from gradviz.document.snippet import Attached
from gradviz.worker.process.events import Done, Event
from gradviz.worker.process.forkserver import close_server
from gradviz.worker.process.limits import Limits
from gradviz.worker.process.run import WORKER_STATUSES, Request, Run
from gradviz.worker.process.worker_process import WorkerProcess

SPARES = 2  # workers that are kept for further runs


class WorkerPool:
    """Workers for one program: a spare one is warm `ahead` of the run that needs it; `reuse` runs several snippets in
    one process, and keeps up to two for two runs at a time."""

    def __init__(self, limits: Limits | None = None, *, reuse: bool = False, ahead: bool = True) -> None:
        self.limits = limits or Limits()
        self.cuda_as_cpu = False  # for the runs to come
        self.iterations = ""  # as in `Request`
        self._reuse = reuse
        self._ahead = ahead
        self._lock = threading.Lock()
        self._spares: list[WorkerProcess] = []
        self._workers: set[WorkerProcess] = set()
        self._active: list[Run] = []
        self._layers: Mapping[str, str] = {}
        self._runs = 0
        self._closed = False

    @property
    def layers(self) -> Mapping[str, str]:
        """Return which locks the latest ready worker holds ("on", "absent: reason"); empty until one was ready."""
        for worker in tuple(self._workers):
            self._layers = worker.layers or self._layers
        return self._layers

    def tried_layers(self, seconds: float) -> Mapping[str, str]:
        """The same, after waiting for a worker to get ready; empty if none does in this time."""
        self.warm()
        for spare in tuple(self._spares):
            spare.wait_ready(seconds)
        return self.layers

    def warm(self) -> None:
        """Start the spare worker now if there is none; returns at once."""
        with self._lock:
            if not self._closed and not any(spare.is_alive for spare in self._spares):
                with contextlib.suppress(OSError):  # the run that needs it reports it
                    self._spares = [self._spawn()]

    def start(
        self,
        source: str,
        on_event: Callable[[Event], None],
        filename: str = "snippet.py",
        question: tuple[int, ...] = (),
        files: Sequence[Attached] = (),
        gaps: Sequence[tuple[int, int]] = (),
        arguments: Sequence[str] = (),
    ) -> Run:
        """Run `source`; `on_event` is called from another thread, the last time with `Done`. `question` asks about a
        backward call and a tensor, by their rows in the trace: for the paths, or for the gradient by differences; or,
        by four numbers each, for the derivatives of single operations, see `trace.record.partials.Place`; the recording
        that is asked about has these `gaps`. The snippet finds `files` in its folder and is called with `arguments`."""
        try:
            worker, request = self._next()
        except OSError as error:
            run = Run(source, filename, self.limits, on_event)
            run.could_not_start(error.strerror or str(error))
            return run

        def deliver(event: Event) -> None:
            if not isinstance(event, Done):
                on_event(event)
                return
            kept = self._keep(worker, run, event)
            on_event(event)
            if not kept:
                worker.kill()
                if self._ahead:
                    self.warm()

        how = Request(question, self.cuda_as_cpu, self._reuse, self.iterations, gaps, tuple(arguments))
        run = Run(source, filename, self.limits, deliver, files, how)
        self._active = [each for each in self._active if each.result is None] + [run]
        run.attach(worker, request)
        return run

    def close(self) -> None:
        """Kill every worker, and wait until they and their threads have ended."""
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

    def _next(self) -> tuple[WorkerProcess, int]:
        """Return a worker, and the number of its request; OSError if the system lets none start."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the worker pool is closed")
            self._spares = [spare for spare in self._spares if spare.is_alive]
            worker = self._spares.pop() if self._spares else self._spawn()
            self._runs += 1
            return worker, self._runs

    def _spawn(self) -> WorkerProcess:
        worker = WorkerProcess(self.limits, on_gone=self._workers.discard, ahead=self._ahead)
        self._workers.add(worker)
        return worker

    def _keep(self, worker: WorkerProcess, run: Run, done: Done) -> bool:
        """Called after a run: return whether the worker may serve another one, for which it waits now."""
        with self._lock:
            usable = not run.has_begun or (self._reuse and done.status in WORKER_STATUSES)
            if not usable or self._closed or not worker.is_alive:
                return False
            self._spares = [spare for spare in self._spares if spare.is_alive]
            if len(self._spares) >= (SPARES if self._reuse else 1):
                return False
            self._spares.append(worker)
            return True


@contextlib.contextmanager
def pool_of_a_command(limits: Limits) -> Iterator[WorkerPool]:
    """Return the pool of a program that ends with it: it waits for no worker, not even one that is still getting
    ready."""
    pool = WorkerPool(limits, ahead=False)
    try:
        yield pool
    finally:
        close_server()
        pool.close()
