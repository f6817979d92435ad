"""The store holds the `State`, changes it, notifies its subscribers (those that watch a `Slice` only about what they
show), and keeps the undo list of immutable documents. Every change of what is on screen goes through here; nothing here
knows about Qt, files or workers.

The undo list (`History`) holds each document with the name of the edit that came next; it knows no state.

Note [What an old drawing costs]: versions of a drawing share all nodes except those that an edit changed. Derived data
of an old version (its code, its tables) is dropped, so that it costs only a list of its nodes and the few that it alone
has."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.documents import Document, text_of
from gradviz.document.drawing import Drawing, Leaf, Literal, Node
from gradviz.session import drawn, predict, run_transitions, what_if
from gradviz.session.breakpoints.points import Breakpoints, Playback, shifted
from gradviz.session.folding import Folding, Presentation
from gradviz.session.state import Lineage, Notice, Run, Search, Selection, Slice, State, View

if TYPE_CHECKING:
    from gradviz.session.inspect.chain_rule import ChainRule
    from gradviz.session.inspect.elements import Origin
    from gradviz.session.inspect.three_ways import Check
    from gradviz.session.presenting import Stage
    from gradviz.session.what_if import WhatIf
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace

TYPING = "Typing"
MERGE_SECONDS = 1.0  # typing without a longer pause is one undo step
UNDO_BYTES = 50_000_000  # the undo list drops its oldest documents beyond this
NODE, PLACE, VALUE = 700, 8, 40  # approximate bytes of a node, of its place in the list, and of one number of its data


@dataclass(frozen=True)
class Edit:
    """A step that can be undone or redone: its name, and the document to go to."""

    label: str
    before: Document
    weight: int = 0


class History:
    """What can be undone and redone. `merge` is a key: consecutive edits with the same key are one step."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._undo: list[Edit] = []
        self._redo: list[Edit] = []
        self._weight = 0
        self._clock = clock
        self._last_typed = float("-inf")
        self._open = ""  # the key of the step that further edits may join

    @property
    def undo_label(self) -> str:
        """The name of what would be undone, "" for nothing."""
        return self._undo[-1].label if self._undo else ""

    @property
    def redo_label(self) -> str:
        """The name of what would be redone, "" for nothing."""
        return self._redo[-1].label if self._redo else ""

    @property
    def is_merging(self) -> bool:
        """Whether a series of edits that form one step, such as dragging a slider, is in progress."""
        return bool(self._open)

    def clear(self) -> None:
        """Forget all of it."""
        self._undo.clear()
        self._redo.clear()
        self._weight = 0
        self.seal()

    def seal(self) -> None:
        """The next edit starts a new step."""
        self._open = ""
        self._last_typed = float("-inf")

    def add(self, label: str, before: Document, after: Document, merge: str) -> None:
        """Record an edit."""
        now = self._clock()
        self._redo.clear()
        if self._joins(label, merge, now):
            first = self._undo[-1].before
            if merge and first == after:  # dragged back to where it was: nothing to undo
                self._pop()
                merge = ""
        else:
            self._push(Edit(label, _bare(before), _weight(before, after)))
        self._open = merge
        self._last_typed = now if label == TYPING else float("-inf")

    def undo(self, now: Document) -> Document | None:
        """The document before the latest edit, None if there was none."""
        if not self._undo:
            return None
        edit = self._pop()
        self._redo.append(Edit(edit.label, _bare(now)))
        self.seal()
        return edit.before

    def redo(self, now: Document) -> Document | None:
        """The document after the edit that was undone last, None if there is none."""
        if not self._redo:
            return None
        edit = self._redo.pop()
        self._push(Edit(edit.label, _bare(now), _weight(now, edit.before)))
        self.seal()
        return edit.before

    def _joins(self, label: str, merge: str, now: float) -> bool:
        if not self._undo or self._undo[-1].label != label:
            return False
        if merge or self._open:
            return merge == self._open
        return label == TYPING and now - self._last_typed < MERGE_SECONDS

    def _push(self, edit: Edit) -> None:
        self._undo.append(edit)
        self._weight += edit.weight
        while len(self._undo) > 1 and self._weight > UNDO_BYTES:
            self._weight -= self._undo.pop(0).weight

    def _pop(self) -> Edit:
        edit = self._undo.pop()
        self._weight -= edit.weight
        return edit


def _bare(document: Document) -> Document:
    """The same document without derived data."""
    return replace(document) if isinstance(document, Drawing) else document


def _weight(document: Document, other: Document) -> int:
    """Approximate bytes that a document takes in the list beside its neighbour."""
    if not isinstance(document, Drawing):
        return len(document.text)
    shared = other.by_id if isinstance(other, Drawing) else {}
    own = sum(_size(node) for node in document.nodes if shared.get(node.id) is not node)
    return own + PLACE * len(document.nodes) + NODE


def _size(node: Node) -> int:
    return NODE + (VALUE * _count(node.data) if isinstance(node, Leaf) else 0)


def _count(data: Literal) -> int:
    """How many values are written out."""
    left, found = [data], 0
    while left:
        one = left.pop()
        if isinstance(one, tuple):
            left.extend(one)
        else:
            found += 1
    return found


Subscriber = Callable[[State, State], None]  # (before, after)

__all__ = ["MERGE_SECONDS", "TYPING", "Store"]


class Store:
    """The state of one session. All methods must be called from the same thread."""

    def __init__(self, state: State | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._state = state or State()
        self._subscribers: list[Subscriber] = []
        self._news: list[tuple[State, State]] = []
        self._history = History(clock)

    @property
    def state(self) -> State:
        """The present state."""
        return self._state

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber(before, after)` after every change; returns a function that unsubscribes."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def watch(self, shown: Slice, subscriber: Subscriber) -> Callable[[], None]:
        """The same, but only after changes in which some field of this slice became a different object."""

        def hear(before: State, after: State) -> None:
            if shown.differs(before, after):
                subscriber(before, after)

        return self.subscribe(hear)

    def edit(self, label: str, document: Document, *, merge: str = "", note: str = "") -> None:
        """The only way to change the document. Consecutive edits with the same label and `merge` are one undo step,
        until `seal`. A `note` is shown beside the document from now on."""
        before = self._state.document
        if document == before:
            return
        self._history.add(label, before, document, merge)
        self._set_document(document, note)

    def seal(self) -> None:
        """A series of edits is over (a slider was released): the next edit is a new undo step."""
        self._history.seal()

    @property
    def is_merging(self) -> bool:
        """Whether such a series is in progress."""
        return self._history.is_merging

    def undo(self) -> None:
        """Undo the latest edit."""
        document = self._history.undo(self._state.document)
        if document is not None:
            self._set_document(document)

    def redo(self) -> None:
        """Redo the edit that was undone last."""
        document = self._history.redo(self._state.document)
        if document is not None:
            self._set_document(document)

    def open(self, document: Document, path: Path | None, *, note: str = "", doubt: str = "") -> None:
        """Show another document with an empty undo list and no trace. With a `doubt` it waits for Run."""
        self._history.clear()
        self._become(run_transitions.opened(self._state, document, path, note, doubt))

    def distrust(self, doubt: str) -> None:
        """What comes into this window now is not the user's own: the trace is dropped, and nothing runs by itself."""
        gone = run_transitions.without_trace(what_if.closed(self._state))
        self._become(replace(gone, doubt=doubt, run=Run(), chain=None, origin=None, playing=False))

    def mark_saved(self, path: Path) -> None:
        """The document is saved as it is; what is typed from now on is a new undo step."""
        self._history.seal()
        view = self._state.view.with_recent(str(path))
        self._become(replace(self._state, saved=self._state.document, path=path, view=view))

    def mark_unsaved(self) -> None:
        """The file on disk is no longer this document."""
        self._become(replace(self._state, saved=None))

    # runs

    def start_run(self, snippet: Document) -> None:
        """A worker has started."""
        self._become(run_transitions.begun(self._state, snippet))

    def progress(self, recorded: int, live: str, left: int | None = None, asks: str | None = None) -> None:
        """Report the number of recorded steps, the output so far, the few seconds left and a pending question."""
        self._become(replace(self._state, run=self._state.run.which(left, asks), recorded=recorded, live=live))

    def grow(self, trace: Trace, figures: tuple[Figure, ...] = ()) -> None:
        """Show what the current run has recorded and plotted."""
        self._become(run_transitions.grown(self._state, trace, figures))

    def end_run(self, run: Run, trace: Trace | None) -> None:
        """The worker has reported how the run ended."""
        self._become(run_transitions.ended(self._state, run, trace))

    def show_live(self, run: Run, trace: Trace | None) -> None:
        """A drawing has run because it was changed."""
        self._become(run_transitions.ended_live(self._state, run, trace))

    # the rest

    def move(self, cursor: int) -> None:
        """Move the cursor to this number of completed steps, at most the last. If there is something to predict there,
        that is asked first."""
        cursor = min(max(cursor, 0), self._state.steps)
        if self._state.predict.on:
            self._become(predict.met(self._state, cursor))
            return
        beside = self._state.what_if
        self._become(
            replace(self._state, cursor=cursor, what_if=None if beside is None else what_if.followed(beside, cursor))
        )

    def select(self, selection: Selection | None) -> None:
        """Show this node or tensor in the inspector; None for that of the current step."""
        state = self._state
        picked = drawn.picked_for(state, selection)
        beside = what_if.selected(state.what_if, selection)
        self._become(replace(state, selection=selection, picked=picked, what_if=beside))

    def point(self, thing: Selection | None) -> None:
        """Highlight this node or tensor on the canvas, as if the pointer were on it."""
        if thing != self._state.pointed:
            self._become(replace(self._state, pointed=thing))

    def pick(self, picked: frozenset[int]) -> None:
        """Select these nodes, comments and groups of the drawing."""
        self._become(replace(self._state, picked=picked, selection=drawn.selection_for(self._state, picked)))

    def set_what_if(self, beside: WhatIf | None) -> None:
        """Show the run of a change; None for no such run. It ends predicting, because it shows the answers."""
        self._become(what_if.closed(self._state) if beside is None else run_transitions.compared(self._state, beside))

    def move_there(self, cursor: int) -> None:
        """Move the cursor of the other run to this number of steps; the cursor of this one follows."""
        self._become(what_if.moved_there(self._state, cursor))

    def select_there(self, selection: Selection | None) -> None:
        """Select a node or tensor of the other run."""
        self._become(what_if.selected_there(self._state, selection))

    def swap_runs(self) -> None:
        """Swap the run with the change and the one without."""
        self._become(what_if.swapped(self._state))

    def take_change(self) -> None:
        """Make the change the document; this can be undone."""
        beside = self._state.what_if
        if beside is not None and what_if.can_take(self._state):
            self.edit(what_if.edit_label(beside), beside.changed)
            self._become(what_if.taken(self._state))

    def fold(self, folding: Folding) -> None:
        """Open or close groups of the graph."""
        self._become(replace(self._state, folding=folding))

    def present(self, presentation: Presentation) -> None:
        """Set the folding and direction of the graph."""
        view = replace(self._state.view, vertical=presentation.vertical, direct_uses=presentation.direct_uses)
        self._become(replace(self._state, folding=presentation.folding, view=view))

    def trace_lineage(self, lineage: Lineage | None) -> None:
        """Fade everything except the relatives of a thing; None for nothing."""
        self._become(replace(self._state, lineage=lineage))

    def show_chain(self, chain: ChainRule | None) -> None:
        """Show the paths by which a gradient reaches a tensor; None for none."""
        self._become(replace(self._state, chain=chain))

    def show_check(self, check: Check | None) -> None:
        """Show a gradient with its finite differences; None for none."""
        self._become(replace(self._state, check=check))

    def show_origin(self, origin: Origin | None) -> None:
        """Show where a number comes from; None for none."""
        self._become(replace(self._state, origin=origin))

    def consult(self, change: Callable[[State], State]) -> None:
        """Apply a transition from another module to the doctor's findings, the prediction or the lesson set."""
        self._become(change(self._state))

    def look_for(self, search: Search) -> None:
        """Open, close or change the search, or go to another hit."""
        self._become(replace(self._state, search=search))

    def play(self, playing: bool) -> None:
        """Start or stop playback."""
        self._become(replace(self._state, playing=playing and self._state.steps > 0))

    def play_as(self, playback: Playback) -> None:
        """Change the direction of playback, or the markers between which it loops."""
        self._become(replace(self._state, playback=playback))

    def stop_at(self, breakpoints: Breakpoints) -> None:
        """Change the breakpoints, or report where they stop."""
        self._become(replace(self._state, breakpoints=breakpoints))

    def look(self, view: View) -> None:
        """Change the theme, text size, speed or recent files."""
        self._become(replace(self._state, view=view))

    def say(self, sentence: str) -> None:
        """Show one sentence to the user."""
        self._become(replace(self._state, notice=Notice(sentence, self._state.notice.serial + 1)))

    def set_stage(self, stage: Stage) -> None:
        """Start or stop presenting, or change what is shown while presenting."""
        self._become(replace(self._state, stage=stage))

    def treat_cuda(self, as_cpu: bool) -> None:
        """Whether cuda means the CPU in future runs."""
        self._become(replace(self._state, cuda_as_cpu=as_cpu))

    def set_layout_progress(self, what: str) -> None:
        """Report work that takes long; "" when it is over."""
        self._become(replace(self._state, layout_progress=what))

    def _set_document(self, document: Document, note: str = "") -> None:
        stops, same_kind = self._state.breakpoints, type(document) is type(self._state.document)
        if stops.points:
            points = shifted(stops.points, text_of(self._state.document), text_of(document))
            stops = replace(stops, points=points) if points != stops.points else stops
        told = replace(self._state, undo_label=self._history.undo_label, redo_label=self._history.redo_label)
        picked = drawn.still_there(document, self._state.picked)
        note = note or (self._state.note if same_kind else "")
        self._become(replace(told, document=document, note=note, picked=picked, breakpoints=stops))

    def _become(self, state: State) -> None:
        """Adopt this state. Every change comes through here, and subscribers are notified in order."""
        before = self._state
        if all(_same(each.name, getattr(before, each.name), getattr(state, each.name)) for each in fields(State)):
            return
        self._state = state
        self._news.append((before, self._state))
        if len(self._news) > 1:
            return  # a subscriber made this change; the loop below reports it after the present one
        failed: list[Exception] = []
        while self._news:
            for subscriber in tuple(self._subscribers):
                try:
                    subscriber(*self._news[0])
                except Exception as error:  # noqa: BLE001 the others hear of it all the same, and of all that comes
                    failed.append(error)
            self._news.pop(0)
        for trace in _traces(before):
            if all(trace is not each for each in _traces(self._state)):
                trace.let_go()
        if failed:
            raise failed[0]


def _traces(state: State) -> list[Trace]:
    """The traces being shown."""
    beside = state.what_if.trace if state.what_if is not None else None
    return [trace for trace in (state.trace, beside) if trace is not None]


def _same(name: str, old: object, new: object) -> bool:
    """Traces are compared by identity, because they contain arrays."""
    return old is new or (name != "trace" and old == new)
