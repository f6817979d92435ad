"""A run without a window: the calling thread handles its events, questions are answered from standard input, and Ctrl+C
stops it. For the command line; the window has `ui.services.worker_bridge`."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradviz.document.snippet import Attached
from gradviz.worker.process.client import WorkerPool
from gradviz.worker.process.events import Asked, Batch, Detail, Done, Event, Figure, Mailbox, Output
from gradviz.worker.terminal import Terminal

if TYPE_CHECKING:
    from gradviz.trace import figures
    from gradviz.trace.table.trace import Trace
    from gradviz.worker.process.run import Run


def follow(
    pool: WorkerPool,
    source: str,
    name: str,
    trace: Trace | None,
    *,
    show_output: bool,
    show_errors: bool = True,
    plots: list[figures.Figure] | None = None,
    files: Sequence[Attached] = (),
    arguments: Sequence[str] = (),
) -> Done:
    """Follow a run to the end; what is recorded goes into `trace`, what is printed to the terminal, plots to their
    list."""
    return _Follower(trace, show_output, show_errors, plots).run(pool, source, name, files, arguments)


class _Follower:
    def __init__(
        self, trace: Trace | None, show_output: bool, show_errors: bool, plots: list[figures.Figure] | None
    ) -> None:
        self._trace = trace
        self._plots = plots
        self._show_output, self._show_errors = show_output, show_errors
        self._streams = {"out": Terminal.around(sys.stdout), "err": Terminal.around(sys.stderr)}
        self._reads = self._is_stopped = False

    def run(
        self, pool: WorkerPool, source: str, name: str, files: Sequence[Attached], arguments: Sequence[str]
    ) -> Done:
        mailbox = Mailbox()
        run = pool.start(source, mailbox.put, name, files=files, arguments=arguments)
        before = signal.signal(signal.SIGINT, lambda number, frame: self._interrupt(run))
        try:
            while True:
                event = mailbox.wait()
                done = self._take(event, run)
                if done is not None:
                    return done
        finally:
            signal.signal(signal.SIGINT, before)
            mailbox.close()
            for stream in self._streams.values():
                stream.end_printed()

    def _take(self, event: Event, run: Run) -> Done | None:
        """Handle one event; return the last one, or an end of our own."""
        if isinstance(event, Done):
            return event
        if isinstance(event, Output):
            self._print(event)
        elif isinstance(event, Asked):
            self._answer(event, run)
        elif isinstance(event, Figure) or (isinstance(event, Batch) and self._trace is not None):
            from gradviz.trace.table.encoding import TraceFormatError

            try:
                self._keep(event)
            except TraceFormatError as error:
                run.stop()
                return Done("died", Detail(f"The worker sent data that could not be decoded: {error}. Run it again."))
        return None

    def _keep(self, event: Batch | Figure) -> None:
        from gradviz.trace import figures
        from gradviz.trace.table import schema

        if isinstance(event, Batch) and self._trace is not None:
            self._trace.extend(schema.Batch(event.header, event.payload))
        elif isinstance(event, Figure) and self._plots is not None:
            self._plots.append(figures.read(event.header, event.payload))

    def _print(self, output: Output) -> None:
        """Print a text; what was typed is already on the terminal."""
        if (output.stream == "err" and self._show_errors) or (output.stream == "out" and self._show_output):
            self._streams[output.stream].printed(output.text)

    def _answer(self, question: Asked, run: Run) -> None:
        if not self._show_output:
            self._streams["err"].printed(question.prompt)
        self._reads = True
        try:
            if self._is_stopped:
                return
            line = sys.stdin.readline() if sys.stdin is not None else ""
        except KeyboardInterrupt:
            return
        except (OSError, ValueError):
            line = ""
        finally:
            self._reads = False
        run.answer(line.removesuffix("\n") if line else None)

    def _interrupt(self, run: Run) -> None:
        self._is_stopped = True
        run.stop()
        if self._reads:  # otherwise reading would continue
            with contextlib.suppress(OSError):
                sys.stderr.write("\n")
            raise KeyboardInterrupt
