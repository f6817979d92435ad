"""Recordings in the window: a file is read, or written, in a thread of its own, with its progress in the status bar and
Cancel; then the window shows it as if it had run here. What is in such a file: `gradviz.trace.table.recording`; what is
said of it: `gradviz.document.files.recordings`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradviz.commands.row import LayoutProgress
from gradviz.document import disk
from gradviz.document.disk import shown
from gradviz.document.documents import text_of
from gradviz.document.errors import UserError
from gradviz.session.state import Phase, Run
from gradviz.session.store import Store

if TYPE_CHECKING:
    from gradviz.trace.table.recording import Recording
    from gradviz.ui.files import WindowFiles

NOTHING = "{} holds no steps: the job ended before anything was recorded."


@dataclass(frozen=True)
class _Result:
    """What a thread comes back with: the number of its task, what it read, or the sentence that says why not."""

    number: int
    sentence: str = ""
    found: Recording | None = None
    is_cancelled: bool = False


class RecordingFiles(QObject):
    """Opens and saves recordings, one task at a time; a new one takes the place of the one before."""

    _told = Signal(int, float)
    _done = Signal(object)

    def __init__(self, store: Store, progress: LayoutProgress, files: WindowFiles) -> None:
        super().__init__()
        self._store, self._progress, self._files = store, progress, files
        self._number = 0
        self._path = Path()
        self._thread: threading.Thread | None = None
        self._then: Callable[[], None] = _nothing
        self._told.connect(self._tell)
        self._done.connect(self._take)

    @property
    def is_busy(self) -> bool:
        """Whether a file is being read or written."""
        return self._thread is not None

    def open(self, path: Path) -> None:
        """Read this file and show it."""
        self._begin(path, lambda number: self._read(number, path))

    def when_open(self, then: Callable[[], None]) -> None:
        """Call `then` once what is being read is shown; at once if nothing is."""
        if self.is_busy:
            self._then = then
        else:
            then()

    def save_as(self) -> bool:
        """Save what was recorded to a file that the user chooses; True if one was chosen."""
        path = self._store.state.path or Path("snippet.py")
        name = self._files.questions.recording_name(str(path.with_suffix(".gvtrace")))
        if name:
            self._save(Path(name))
        return bool(name)

    def _save(self, path: Path) -> None:
        """Write the trace that is shown; of an open recording a copy of its file."""
        from gradviz.document.files import recordings
        from gradviz.trace.table.recording import Ending

        state = self._store.state
        trace, run, here = state.trace, state.run, state.path
        if trace is None:
            return
        ending = Ending(run.phase.value if run.phase is not Phase.NEVER else "ok", run.sentence, run.line, run.seconds)
        about = recordings.about_now(text_of(state.traced), state.title, _maker())
        copies = here if state.is_recording else None

        def work(number: int) -> _Result:
            try:
                if copies is not None:
                    recordings.copy(copies, disk.absolute(path))
                else:
                    recordings.write(disk.absolute(path), trace, about, ending, run.figures)
            except UserError as error:
                return _Result(number, str(error))
            return _Result(number, f"Saved {shown(path.name)}")

        self._begin(path, work)

    def give_up(self) -> None:
        """Cancel what is being read; nothing changes."""
        self._number += 1
        self._end()

    def close(self) -> None:
        """Give up, and wait for the thread."""
        thread = self._thread
        self.give_up()
        if thread is not None:
            thread.join()

    def _begin(self, path: Path, work: Callable[[int], _Result]) -> None:
        self.close()
        self._path = path
        number = self._number
        self._thread = threading.Thread(
            target=lambda: self._done.emit(work(number)), name="gradviz-recording", daemon=True
        )
        self._progress.update(self, f"working on {shown(path.name)}")
        self._thread.start()

    def _read(self, number: int, path: Path) -> _Result:
        """In the thread."""
        from gradviz.document.files import recordings
        from gradviz.session.timeline import outline
        from gradviz.trace.table.recording import Cancelled

        def heard(share: float) -> bool:
            self._told.emit(number, share)
            return number == self._number

        try:
            found = recordings.read(path, heard)
            outline.precompute(found.trace)
        except UserError as error:
            return _Result(number, str(error))
        except Cancelled:
            return _Result(number, is_cancelled=True)
        return _Result(number, found=found)

    def _tell(self, number: int, share: float) -> None:
        if number == self._number and self.is_busy:
            self._progress.update(self, f"reading {shown(self._path.name)} · {100 * share:.0f} %")

    def _end(self) -> Callable[[], None]:
        """It is over; returns what waited for it."""
        self._thread = None
        self._progress.update(self, "")
        then, self._then = self._then, _nothing
        return then

    def _take(self, result: _Result) -> None:
        if result.number != self._number:
            return
        then = self._end()
        if result.found is None:
            if result.sentence:
                self._store.say(result.sentence)
        elif self._files.may_leave():
            self._show(result.found)
            then()

    def _show(self, found: Recording) -> None:
        from gradviz.document.files import recordings

        path, ending, trace = disk.absolute(self._path), found.ending, found.trace
        document = recordings.document_of(found)
        self._store.open(document, path, note=f"A recording of {found.about.name or 'a program'}\n{document.origin}")
        if not len(trace):
            self._store.say(NOTHING.format(shown(path.name)))
            return
        run = Run(Phase.OK, document, figures=recordings.figures_of(found))
        if ending is not None:
            phase, sentence = Phase(ending.status), ending.sentence
            run = replace(run, phase=phase, sentence=sentence, line=ending.line, seconds=ending.seconds)
        self._store.end_run(run, trace)


def _maker() -> str:
    from gradviz import __version__

    return f"GradViz {__version__}"


def _nothing() -> None:
    """Nobody waits."""
