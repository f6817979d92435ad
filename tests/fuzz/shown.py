"""Hostile traces in the window: what `traces` makes of honest recordings is shown as after a run, with a hostile figure
beside it, and a monkey plays with it. Whatever was taken is shown; nothing breaks, nothing is said by Qt."""

from __future__ import annotations

import tempfile
import warnings
from functools import cache
from pathlib import Path

from PySide6.QtWidgets import QApplication

from gradviz.document.files.trust import OwnFiles
from gradviz.document.snippet import Snippet
from gradviz.session.state import Phase, Run
from gradviz.trace.table.encoding import TraceFormatError
from gradviz.trace.table.trace import Trace
from gradviz.ui.launch import application
from gradviz.ui.services.settings import Forgetful, Settings
from gradviz.ui.window import MainWindow
from gradviz.ui.windows import Ownership, Windows
from tests.fuzz import traces
from tests.fuzz.choices import Choices
from tests.fuzz.plots import nothing_said
from tests.monkey import Monkey, let_things_end

EVENTS = 25
MOST_DECISIONS = 24  # bytes; of a batch that is changed in many places nothing is taken
RUNS = "_snippet _run _type _wait".split()  # what would replace the trace, or takes time


def one_input(data: bytes) -> None:
    """Which recording, what is changed in it, and what the monkey does."""
    choices = Choices(data)
    seed = choices.number(1 << 16)
    source, batches = traces.decided(Choices(choices.bytes(MOST_DECISIONS)))
    trace = Trace(source)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in batches:
            try:
                trace.extend(batch)
            except TraceFormatError:
                break
        with nothing_said():
            show(trace, seed)


def show(trace: Trace, seed: int) -> None:
    """Let a monkey play with it."""
    window = the_window()
    store = window.store
    store.open(Snippet(trace.source), None)
    store.start_run(store.state.document)
    phase = Phase.RAISED if len(trace.errors) else Phase.OK
    store.end_run(Run(phase, store.state.document, "", 3, 0.001), trace)
    with tempfile.TemporaryDirectory(prefix="gradviz-fuzz-") as folder:
        monkey = Monkey(window, seed, Path(folder))
        for act in [act for act in monkey._plays if act.__name__ in RUNS]:
            del monkey._plays[act]
        monkey.play(EVENTS)
        let_things_end(window)
    QApplication.processEvents()
    assert not monkey.broken, "\n\n".join(monkey.broken)


@cache
def the_window() -> MainWindow:
    """The one window of this process."""
    app = application()
    window = MainWindow(Settings(Forgetful()), Windows(Ownership(OwnFiles(None))))
    window.resize(1200, 800)
    window.show()
    window.complete()
    app.processEvents()
    return window
