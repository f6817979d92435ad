"""The state of a session as one frozen record: document, trace, cursor, selection, run. Everything on screen is a
function of it. `store` is where it changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gradviz.document.disk import shown
from gradviz.document.documents import Document, text_of
from gradviz.document.drawing import Drawing
from gradviz.document.snippet import Recorded, Snippet
from gradviz.session.breakpoints.points import Breakpoints, Playback
from gradviz.session.folding import DIRECT_USES, Folding
from gradviz.session.predict import Predict
from gradviz.session.presenting import Stage

if TYPE_CHECKING:
    from gradviz.document.files.lesson_set import LessonSet
    from gradviz.session.doctor.lessons import Finding
    from gradviz.session.inspect.chain_rule import ChainRule
    from gradviz.session.inspect.elements import Origin
    from gradviz.session.inspect.three_ways import Check
    from gradviz.session.what_if import WhatIf
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace
    from gradviz.worker.process.events import Missing, Refused, Written

NO_CUDA = ("not compiled with CUDA", "Cannot access accelerator device")
READING = 0.0  # the speed at which each step stays for as long as its sentence takes to read
SPEEDS = (READING, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0)  # steps per second
TEXT_SCALES = (0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)
THEME_CHOICES = ("system", "light", "dark", "projector", "contrast")
RECENT = 10
MOST_DONE = 1000  # lessons that are remembered as done


class Phase(Enum):
    """The phase of a run."""

    NEVER = "never"
    RUNNING = "running"
    OK = "ok"
    RAISED = "raised"
    REFUSED = "refused"
    LIMIT = "limit"
    STOPPED = "stopped"
    DIED = "died"


@dataclass(frozen=True)
class Run:
    """The latest run: what was run, how it ended, and the sentence that says so; during a run, the time left if that is
    little, and what input() asks."""

    phase: Phase = Phase.NEVER
    snippet: Document = field(default_factory=Snippet)
    sentence: str = ""
    line: int = -1
    seconds: float = 0.0
    left: int | None = None  # seconds until a limit stops it
    asks: str | None = None  # the prompt of the input() that waits for an answer
    figures: tuple[Figure, ...] = ()  # the plots that it showed
    refusals: tuple[Refused, ...] = ()  # all refusals in its text, if it was refused
    missing: tuple[Missing, ...] = ()  # everything unavailable that it uses, if it ended because of that
    written: tuple[Written, ...] = ()  # the files that it left in its folder
    part: str = ""  # which part of it was recorded, if not all
    needs_time: bool = False  # more of it would be recorded with more time
    listed: bool = True  # whether the window shows all of them as a list

    @property
    def is_running(self) -> bool:
        """True until the worker reports the end."""
        return self.phase is Phase.RUNNING

    @property
    def wants_cuda(self) -> bool:
        """Whether it ended for lack of a graphics card."""
        return self.phase is Phase.RAISED and any(words in self.sentence for words in NO_CUDA)

    def which(self, left: int | None, asks: str | None) -> Run:
        """The same run with this time left and this question."""
        return self if (left, asks) == (self.left, self.asks) else replace(self, left=left, asks=asks)


@dataclass(frozen=True)
class Selection:
    """What the inspector shows: a "node" or "tensor" of the trace, by row, or a "group", see `groups`."""

    kind: str
    index: int


@dataclass(frozen=True)
class Search:
    """The search on the canvas; `at` is the current hit, -1 if none has been visited."""

    open: bool = False
    query: str = ""
    at: int = -1


@dataclass(frozen=True)
class Lineage:
    """What is highlighted on the canvas: the "ancestors" or "descendants" of a thing, or the "path" from it to
    another."""

    kind: str
    of: Selection
    to: Selection | None = None


@dataclass(frozen=True)
class Notice:
    """One sentence for the user; `serial` distinguishes equal sentences."""

    sentence: str = ""
    serial: int = 0


@dataclass(frozen=True)
class Doctor:
    """The findings in the latest run, if it raised no error; the one on the card; and the lessons dismissed in this
    document."""

    findings: tuple[Finding, ...] = ()
    at: int = -1  # index of the one on the card
    quiet: frozenset[str] = frozenset()


@dataclass(frozen=True)
class View:
    """View settings; remembered between starts, never part of undo."""

    theme: str = "system"
    text_scale: float = 1.0
    speed: float = READING
    recent: tuple[str, ...] = ()
    minimap: bool = True
    vertical: bool = False  # the graph runs from top to bottom
    direct_uses: int = DIRECT_USES  # a leaf with more uses gets tags
    animated: bool = True  # collapsing and expanding is animated
    overture: bool = True  # the next run starts with the five-second overture
    every_step: bool = False  # stepping stops at steps without news, too
    iterations: str = ""  # which iterations of a training are recorded; "": all that fit
    quiet: tuple[str, ...] = ()  # lessons of the doctor that are never shown
    done: tuple[str, ...] = ()  # lessons of lesson sets that are done, by key, latest first

    def with_recent(self, name: str) -> View:
        """With this file as the most recent."""
        return replace(self, recent=(name, *(other for other in self.recent if other != name))[:RECENT])


@dataclass(frozen=True)
class State:
    """Everything that the window shows."""

    document: Document = field(default_factory=Snippet)
    saved: Document | None = field(default_factory=Snippet)  # as on disk; None: equal to no document that was here
    path: Path | None = None
    cuda_as_cpu: bool = False  # in the runs of this window; not remembered
    note: str = ""  # what to look at in this document: set by an example
    doubt: str = (
        ""  # why nothing of it runs until the user says so, see `trust_warnings`; "" for a document of one's own
    )
    undo_label: str = ""
    redo_label: str = ""
    run: Run = field(default_factory=Run)
    trace: Trace | None = None
    traced: Document = field(default_factory=Snippet)  # the document that the trace belongs to
    steps: int = 0  # length of the trace
    cursor: int = 0  # how many of them are completed
    recorded: int = 0  # steps that the current run has recorded so far
    live: str = ""  # what it has printed so far
    selection: Selection | None = None
    pointed: Selection | None = None  # what the pointer is on outside the canvas
    picked: frozenset[int] = frozenset()  # the selection in a drawing: nodes, comments and groups by id
    folding: Folding = field(default_factory=Folding)
    lineage: Lineage | None = None
    chain: ChainRule | None = None  # the paths by which a gradient reaches a tensor
    check: Check | None = None  # a gradient with its finite differences and symbolic derivative
    origin: Origin | None = None  # where one number comes from
    search: Search = field(default_factory=Search)
    playing: bool = False
    playback: Playback = field(default_factory=Playback)
    breakpoints: Breakpoints = field(default_factory=Breakpoints)
    what_if: WhatIf | None = None  # the same snippet with one change, run beside this one
    doctor: Doctor = field(default_factory=Doctor)
    notice: Notice = field(default_factory=Notice)
    layout_progress: str = ""  # work in the background that takes long: a layout
    stage: Stage = field(default_factory=Stage)  # what is shown while presenting
    predict: Predict = field(default_factory=Predict)  # the prediction in progress
    lessons: LessonSet | None = None  # the open lesson set
    view: View = field(default_factory=View)

    @property
    def drawing(self) -> Drawing | None:
        """The document, if it is a drawing."""
        return self.document if isinstance(self.document, Drawing) else None

    @property
    def is_trusted(self) -> bool:
        """Whether the document may run without being asked for: it is the user's own, or was run in this window."""
        return not self.doubt and not self.is_recording

    @property
    def is_recording(self) -> bool:
        """Whether the document was recorded elsewhere: it can be looked at, not run."""
        return isinstance(self.document, Recorded)

    @property
    def job(self) -> Path | None:
        """The folder with the recordings of a job's ranks, if that is what is shown."""
        document, path = self.document, self.path
        if path is None or path.suffix.lower() == ".gvtrace":
            return None
        return path if isinstance(document, Recorded) and document.ranks > 1 else None

    @property
    def many_ranks(self) -> bool:
        """Whether a job has more of them than fit side by side."""
        return self.job is not None and isinstance(self.document, Recorded) and self.document.ranks > 2

    @property
    def is_dirty(self) -> bool:
        """True if the document differs from what is on disk."""
        return self.document != self.saved

    @property
    def is_stale(self) -> bool:
        """True if the trace is of another text than the one in the editor."""
        other = self.what_if
        written = other.run.snippet if other is not None and other.swapped else self.traced
        return self.trace is not None and written is not self.document and text_of(written) != text_of(self.document)

    @property
    def meets_obstacles(self) -> bool:
        """Whether the latest run of the shown text was refused, or ended at something that is not here."""
        run = self.run
        met = run.refusals or run.missing or (run.wants_cuda and not self.cuda_as_cpu)
        return bool(met) and not run.is_running and text_of(run.snippet) == text_of(self.document)

    @property
    def records_part(self) -> bool:
        """Whether more of the latest run of the shown text would be recorded if it had more time."""
        return self.run.needs_time and not self.is_stale and not self.is_busy and not self.is_recording

    @property
    def leaves_out(self) -> bool:
        """Whether iterations of that run were left out for want of room, so that a choice of them helps."""
        run = self.run
        return bool(run.part) and not (run.needs_time or self.is_stale or self.is_busy or self.is_recording)

    @property
    def lists_obstacles(self) -> bool:
        """Whether all of them are shown in the middle of the window."""
        return self.run.listed and self.what_if is None and self.meets_obstacles

    @property
    def is_busy(self) -> bool:
        """True while the snippet, or its change, is running."""
        return self.run.is_running or (self.what_if is not None and self.what_if.run.is_running)

    @property
    def told(self) -> tuple[Finding, ...]:
        """The doctor's findings that were not dismissed; none while their numbers are to be predicted."""
        if self.predict.on:
            return ()
        quiet = self.doctor.quiet | {*self.view.quiet}
        return tuple(each for each in self.doctor.findings if each.id not in quiet)

    @property
    def looked_at(self) -> Finding | None:
        """The finding on the card."""
        told = self.told
        return told[self.doctor.at] if 0 <= self.doctor.at < len(told) else None

    @property
    def shows_layout_progress(self) -> bool:
        """True while a layout that takes long can be given up; a run is stopped first."""
        return bool(self.layout_progress) and not self.is_busy

    @property
    def left(self) -> int | None:
        """Seconds until a limit of time stops what is running, if they are few."""
        runs = (self.run, self.what_if.run) if self.what_if is not None else (self.run,)
        return min((run.left for run in runs if run.is_running and run.left is not None), default=None)

    @property
    def asks(self) -> str | None:
        """What the input() that waits for an answer asks."""
        runs = (self.run, self.what_if.run) if self.what_if is not None else (self.run,)
        return next((run.asks for run in runs if run.is_running and run.asks is not None), None)

    @property
    def title(self) -> str:
        """What the document is called."""
        return title_of(self.path)


def title_of(path: Path | None) -> str:
    """What a document from this file is called."""
    return shown(path.name) if path else "Untitled"


# -- slices: what of the state something shows, so that only that wakes it

Field = Literal[
    "document", "saved", "path", "cuda_as_cpu", "note", "doubt", "undo_label", "redo_label", "run", "trace", "traced",
    "steps", "cursor", "recorded", "live", "selection", "pointed", "picked", "folding", "lineage", "chain", "check",
    "origin", "search", "playing", "playback", "breakpoints", "what_if", "doctor", "notice", "layout_progress", "stage",
    "predict", "lessons", "view",
]  # fmt: skip
MOMENT: tuple[Field, ...] = ("trace", "steps", "cursor")  # a trace grows, so its length belongs to it
STALE: tuple[Field, ...] = ("document", "trace", "traced", "what_if")  # what `is_stale` depends on


class Slice:
    """Some fields of the state: those that something shows, so that only a change of them wakes it."""

    def __init__(self, *names: Field) -> None:
        self.names = names

    def differs(self, before: State, after: State) -> bool:
        """Whether one of them is another object; a state beside itself means all of it."""
        return before is after or any(getattr(before, name) is not getattr(after, name) for name in self.names)

    def meets(self, changed: set[str]) -> bool:
        """The same, of `changed_fields` that were found for many slices."""
        return not changed.isdisjoint(self.names)


def changed_fields(before: State, after: State) -> set[str]:
    """The fields that are other objects; of a state beside itself all."""
    old = vars(before)
    return {name for name, value in vars(after).items() if before is after or old[name] is not value}


class ReadState(State):
    """A state that notes which of its fields are read: what is made of it stays as it is until one of them differs."""

    @classmethod
    def of(cls, state: State) -> ReadState:
        """The same state, of which nothing was read yet."""
        made = object.__new__(cls)
        vars(made).update(vars(state), _read=set())
        return made

    def __getattribute__(self, name: str) -> object:
        own = object.__getattribute__(self, "__dict__")
        if name in own and "_read" in own:
            own["_read"].add(name)
        return object.__getattribute__(self, name)

    def slice(self) -> Slice:
        """All that was read so far."""
        names = object.__getattribute__(self, "__dict__")["_read"]
        return Slice(*names, *(("steps",) if "trace" in names else ()))
