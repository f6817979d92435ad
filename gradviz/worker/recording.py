"""Where the runner meets the engine and the trace: a recorder listens during a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradviz.engine.kernel.state import set_observer
from gradviz.trace.record.recorder import Recorder
from gradviz.worker.errors import ErrorText


@contextmanager
def observed(recorder: Recorder) -> Iterator[None]:
    """The engine reports to this recorder."""
    set_observer(recorder)
    try:
        yield
    finally:
        set_observer(None)


def record_error(recorder: Recorder, error: ErrorText) -> None:
    """The last step of a run that raised."""
    set_observer(None)
    recorder.raised(error.type_name, error.message, error.line, error.traceback, error.last_line)
