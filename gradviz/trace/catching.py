"""What instrumented code calls where an `except` begins (see `instrument.py`): an error of PyTorch's that the snippet
catches is a step of the trace. What a snippet raises itself is its own affair, and an error that nobody catches ends
the run, see `Recorder.raised`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gradviz.trace.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.rows import RowWriter

LONGEST = 20_000  # characters of a message
_SEEN = "<e>"  # an attribute of what was looked at; no snippet can spell it
_PYTORCH = ("gradviz.engine.", "gradviz.torch.")


class Catcher:
    """Writes the `caught` errors of one run."""

    def __init__(self, rows: RowWriter) -> None:
        self._rows = rows

    def catch(self) -> None:
        """An `except` has caught something."""
        error = sys.exc_info()[1]
        if error is None or not _is_known(type(error)):
            return
        if _SEEN in error.__dict__:
            return  # it was caught and raised again: its traceback is a frame longer each time
        error.__dict__[_SEEN] = True
        rows = self._rows
        site, below = rows.sites.raised(error.__traceback__)
        if not any(module.startswith(_PYTORCH) for module in below):
            return
        text, writer = rows.writer.text, rows.writer
        step = rows.add_step(Kind.CAUGHT, -1, -1, site, writer.count("caught"))
        writer.add("caught", step, text(type(error).__qualname__), text(str(error)[:LONGEST]))


def _is_known(kind: type[BaseException]) -> bool:
    """Whether a class of errors is Python's or PyTorch's: one of the snippet's could run its code when looked at."""
    module = type.__getattribute__(kind, "__module__")
    return type(module) is str and (module == "builtins" or module.startswith(_PYTORCH))
