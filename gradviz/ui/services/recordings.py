"""Recordings in the window: a file is read or written in a thread of its own, with progress in the status bar and
Cancel; then the window shows it as if it had run here. The file format is in `gradviz.trace.table.recording`, the
sentences about it are in `gradviz.document.files.recordings`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from gradviz.commands.row import LayoutProgress
from gradviz.document import disk
from gradviz.document.disk import shown
from gradviz.document.documents import text_of
from gradviz.document.errors import UserError
from gradviz.document.snippet import ranks_of
from gradviz.session.state import Phase, Run
from gradviz.session.store import Store

if TYPE_CHECKING:
    from gradviz.document.snippet import Recorded
    from gradviz.session.comparison.differences import Verdict
    from gradviz.trace.table.recording import Recording
    from gradviz.trace.table.trace import Trace
    from gradviz.ui.services.files import WindowFiles

NOTHING = "{} holds no steps: the job ended before anything was recorded."


@dataclass(frozen=True)
class _Result:
    """The outcome of a thread: the number of its task, and what it read or the sentence that says why it could not."""

    number: int
    sentence: str = ""
    found: Recording | None = None
    beside: _Beside | None = None
    is_cancelled: bool = False


class _Beside(NamedTuple):
    """Another recording, the names of the two, and how they differ."""

    other: Recording
    names: tuple[str, str]
    verdict: Verdict
    are_ranks: bool = False  # of the same job


class RecordingFiles(QObject):
    """Opens and saves recordings, one task at a time; a new one replaces the previous one."""

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
        ranks = ranks_of(path)
        self._begin(path, lambda number: self._read(number, ranks[:2] or [path]))

    def when_open(self, then: Callable[[], None]) -> None:
        """Call `then` once the file being read is shown; at once if none is."""
        if self.is_busy:
            self._then = then
        else:
            then()

    def compare(self) -> None:
        """Show another recording, chosen by the user, beside the open one."""
        here = self._store.state.path
        if here is not None:
            name = self._files.questions.open_name(str(here.parent if here.is_file() else here))
            if name:
                self.show_beside(Path(name))

    def show_beside(self, path: Path) -> None:
        """Show this recording beside the open one."""
        here, trace = self._store.state.path, self._store.state.trace
        if here is not None and trace is not None:
            front = next(iter(ranks_of(here)), here)
            self._begin(path, lambda number: self._read(number, [front, path], trace))

    def save_as(self) -> bool:
        """Save the recording to a file that the user chooses; returns whether one was chosen."""
        path = self._store.state.path or Path("snippet.py")
        name = self._files.questions.recording_name(str(path.with_suffix(".gvtrace")))
        if name:
            self._save(Path(name))
        return bool(name)

    def _save(self, path: Path) -> None:
        """Write the trace being shown; for an open recording, a copy of its file."""
        from gradviz.document.files import recordings
        from gradviz.trace.table.recording import Ending

        state = self._store.state
        trace, run, here = state.trace, state.run, state.path
        if trace is None:
            return
        ending = Ending(run.phase.value if run.phase is not Phase.NEVER else "ok", run.sentence, run.line, run.seconds)
        about = recordings.about_now(text_of(state.traced), state.title, _maker())
        copies = here if state.is_recording else None  # a file, or the folder of its ranks

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
        """Cancel reading; nothing changes."""
        self._number += 1
        self._end()

    def close(self) -> None:
        """Cancel, and wait for the thread."""
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

    def _read(self, number: int, paths: list[Path], front: Trace | None = None) -> _Result:
        """In the thread: a recording, and possibly a second one beside it; `front` is the first if it is already
        open."""
        from gradviz.document.files import recordings
        from gradviz.session.timeline import outline
        from gradviz.trace.table.recording import Cancelled

        def heard(share: float) -> bool:
            self._told.emit(number, share)
            return number == self._number

        try:
            found = recordings.read(paths[0], heard) if front is None else None
            trace = found.trace if found is not None else front
            assert trace is not None
            outline.precompute(trace)
            beside = _beside(trace, paths, recordings.read(paths[1], heard)) if paths[1:] else None
        except UserError as error:
            return _Result(number, str(error))
        except Cancelled:
            return _Result(number, is_cancelled=True)
        return _Result(number, found=found, beside=beside)

    def _tell(self, number: int, share: float) -> None:
        if number == self._number and self.is_busy:
            self._progress.update(self, f"reading {shown(self._path.name)} · {100 * share:.0f} %")

    def _end(self) -> Callable[[], None]:
        """The task is over; returns what was waiting for it."""
        self._thread = None
        self._progress.update(self, "")
        then, self._then = self._then, _nothing
        return then

    def _take(self, result: _Result) -> None:
        if result.number != self._number:
            return
        then = self._end()
        if result.sentence:
            self._store.say(result.sentence)
        if result.found is not None and self._files.may_leave():
            self._show(result.found)
            then()
        elif result.found is not None:
            return
        if result.beside is not None:
            self._show_beside(result.beside)

    def _show(self, found: Recording) -> None:
        from gradviz.document.files import recordings

        path, trace = disk.absolute(self._path), found.trace
        document = recordings.document_of(found)
        self._store.open(document, path, note=f"A recording of {found.about.name or 'a program'}\n{document.origin}")
        if not len(trace):
            self._store.say(NOTHING.format(shown(path.name)))
            return
        self._store.end_run(_run(found, document), trace)

    def _show_beside(self, beside: _Beside) -> None:
        """Show the two side by side, at the first difference in something that all ranks should have in common."""
        from gradviz.document.files import recordings
        from gradviz.session.comparison.differences import ranks_sentence
        from gradviz.session.what_if import recorded_beside

        state, (other, names, verdict, are_ranks) = self._store.state, beside
        made = recorded_beside(state, _run(other, recordings.document_of(other)), verdict, names)
        self._store.set_what_if(replace(made, sentence=ranks_sentence(names, verdict)) if are_ranks else made)
        if verdict.rows and verdict.rows[0].sort == "rank":
            self._store.move(verdict.rows[0].cursor_here)


def _run(found: Recording, document: Recorded) -> Run:
    """How a recorded run ended."""
    from gradviz.document.files import recordings

    run, ending = Run(Phase.OK, document, figures=recordings.figures_of(found)), found.ending
    if ending is None:
        return run
    return replace(run, phase=Phase(ending.status), sentence=ending.sentence, line=ending.line, seconds=ending.seconds)


def _beside(trace: Trace, paths: list[Path], other: Recording) -> _Beside:
    """How two recordings differ; ranks in one folder are compared in what they should have in common."""
    from gradviz.session.comparison.differences import judge, of_ranks

    verdict, ranks = judge(trace, other.trace), ranks_of(paths[0].parent)
    if not all(path in ranks for path in paths):
        one, two = (shown(path.stem) for path in paths)
        return _Beside(other, (one, two if two != one else f"{shown(paths[1].parent.name)}/{two}"), verdict)
    one, two = (f"rank {path.stem.removeprefix('rank')}" for path in paths)
    return _Beside(other, (one, two), of_ranks(verdict), are_ranks=True)


def _maker() -> str:
    from gradviz import __version__

    return f"GradViz {__version__}"


def _nothing() -> None:
    """Nobody waits."""
