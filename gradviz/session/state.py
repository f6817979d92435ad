"""The state of a session as one frozen record: document, trace, cursor, selection, run. Everything on the screen is a
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
READING = 0.0  # the speed at which each step stays for as long as its sentence needs
SPEEDS = (READING, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0)  # steps per second
TEXT_SCALES = (0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)
THEME_CHOICES = ("system", "light", "dark", "projector", "contrast")
RECENT = 10
MOST_DONE = 1000  # lessons that are remembered as done


class Phase(Enum):
    """Where a run is."""

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
    """The latest run: what was run, how it ended, and the sentence that says so; while it goes on, how long it may
    still take if that is little, and what input() asks."""

    phase: Phase = Phase.NEVER
    snippet: Document = field(default_factory=Snippet)
    sentence: str = ""
    line: int = -1
    seconds: float = 0.0
    left: int | None = None  # seconds until a limit stops it
    asks: str | None = None  # the prompt of the input() that waits for an answer
    figures: tuple[Figure, ...] = ()  # the plots that it showed
    refusals: tuple[Refused, ...] = ()  # all of its text, where it was refused
    missing: tuple[Missing, ...] = ()  # all that it uses and is not here, where it ended at such a thing
    written: tuple[Written, ...] = ()  # the files that it left in its folder
    part: str = ""  # which part of it was recorded, if that is not all
    needs_time: bool = False  # with more time more of it would be recorded
    listed: bool = True  # whether the window shows all of them as a list

    @property
    def is_running(self) -> bool:
        """True until the worker said how it ended."""
        return self.phase is Phase.RUNNING

    @property
    def wants_cuda(self) -> bool:
        """Whether it ended for want of a graphics card."""
        return self.phase is Phase.RAISED and any(words in self.sentence for words in NO_CUDA)

    def which(self, left: int | None, asks: str | None) -> Run:
        """The same run, with so much time left and this question."""
        return self if (left, asks) == (self.left, self.asks) else replace(self, left=left, asks=asks)


@dataclass(frozen=True)
class Selection:
    """What the inspector shows: a "node" or a "tensor" of the trace, by its row, or a "group", see `groups`."""

    kind: str
    index: int


@dataclass(frozen=True)
class Search:
    """What is looked for on the canvas; `at` is the hit that was gone to, -1 none yet."""

    open: bool = False
    query: str = ""
    at: int = -1


@dataclass(frozen=True)
class Lineage:
    """What stands out on the canvas: the "ancestors" or "descendants" of a thing, or the "path" from it to another."""

    kind: str
    of: Selection
    to: Selection | None = None


@dataclass(frozen=True)
class Notice:
    """One sentence for the user; `serial` tells two equal sentences apart."""

    sentence: str = ""
    serial: int = 0


@dataclass(frozen=True)
class Doctor:
    """What was found in the latest run that raised no error: the findings, the one on the card, and the lessons that
    are not told again in this document."""

    findings: tuple[Finding, ...] = ()
    at: int = -1  # of those that are told
    quiet: frozenset[str] = frozenset()


@dataclass(frozen=True)
class View:
    """How things are looked at; remembered between starts, never part of undo."""

    theme: str = "system"
    text_scale: float = 1.0
    speed: float = READING
    recent: tuple[str, ...] = ()
    minimap: bool = True
    vertical: bool = False  # the graph goes from top to bottom
    direct_uses: int = DIRECT_USES  # a leaf with more uses gets tags
    animated: bool = True  # what folds and unfolds moves there
    overture: bool = True  # the next run is shown once in five seconds
    every_step: bool = False  # walking stops at steps without news, too
    iterations: str = ""  # which of a training are recorded; "": all that fit
    quiet: tuple[str, ...] = ()  # lessons of the doctor that are never told
    done: tuple[str, ...] = ()  # lessons of lesson sets that are done, by their keys, the latest first

    def with_recent(self, name: str) -> View:
        """This file was open latest."""
        return replace(self, recent=(name, *(other for other in self.recent if other != name))[:RECENT])


@dataclass(frozen=True)
class State:
    """Everything that the window shows."""

    document: Document = field(default_factory=Snippet)
    saved: Document | None = field(default_factory=Snippet)  # as it is on disk; None: as no document that was here
    path: Path | None = None
    cuda_as_cpu: bool = False  # in the runs of this window; not remembered
    note: str = ""  # what to look at in this document: an example says so
    doubt: str = (
        ""  # why nothing of it runs until the user says so, see `trust_warnings`; "" for a document of one's own
    )
    undo_label: str = ""
    redo_label: str = ""
    run: Run = field(default_factory=Run)
    trace: Trace | None = None
    traced: Document = field(default_factory=Snippet)  # what the trace is a trace of
    steps: int = 0  # how many steps the trace has
    cursor: int = 0  # how many of them are done
    recorded: int = 0  # how many steps the run that goes on has recorded so far
    live: str = ""  # what it has printed so far
    selection: Selection | None = None
    pointed: Selection | None = None  # what the pointer is on outside of the canvas
    picked: frozenset[int] = frozenset()  # what is selected of a drawing: nodes, comments, groups by their number
    folding: Folding = field(default_factory=Folding)
    lineage: Lineage | None = None
    chain: ChainRule | None = None  # the paths by which a gradient comes to a tensor
    check: Check | None = None  # a gradient beside its differences and its symbolic derivative
    origin: Origin | None = None  # where one number comes from
    search: Search = field(default_factory=Search)
    playing: bool = False
    playback: Playback = field(default_factory=Playback)
    breakpoints: Breakpoints = field(default_factory=Breakpoints)
    what_if: WhatIf | None = None  # the same snippet with one change, run beside this one
    doctor: Doctor = field(default_factory=Doctor)
    notice: Notice = field(default_factory=Notice)
    layout_progress: str = ""  # what the window does beside its work, if that takes long: a layout
    stage: Stage = field(default_factory=Stage)  # what is shown while presenting
    predict: Predict = field(default_factory=Predict)  # what is asked for before it is shown
    lessons: LessonSet | None = None  # the lesson set that is open
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
        return shown(self.path.name) if self.path else "Untitled"


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
