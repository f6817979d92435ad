"""Where the runner meets the engine and the trace: a recorder listens during a run, and every run
finds the engine as new."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradviz.engine import dtypes, printing
from gradviz.engine.draw import generator
from gradviz.engine.observe import set_observer
from gradviz.engine.state import State, state
from gradviz.torch import settings
from gradviz.trace.recorder import Recorder
from gradviz.worker.errors import ErrorText

SEED = 67280421310721  # PyTorch's own default; a snippet that seeds nothing runs the same every time


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


def reset_engine() -> None:
    """Modes, hooks, default dtype, print options and random numbers as in a new process."""
    State.__init__(state)
    dtypes.set_default_dtype(dtypes.float32)
    printing.set_printoptions(profile="default")
    generator.manual_seed(SEED)
    settings.reset()
