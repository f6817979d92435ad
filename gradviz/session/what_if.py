"""What-if: a second run of the same snippet with one change, beside the first run. Here are its record in the `State`
and its pure transitions, which `store` applies. The changes themselves are in `proposals`, the comparison in `compare`.

Note [Front and other run] The panels follow the run in `State.trace`, the front one; `WhatIf` holds the other. At first
the unchanged snippet is in front. Swapping exchanges the two, and nothing else knows the difference."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gradviz.document.documents import Document, text_of, with_text
from gradviz.session.state import Phase, Run, Selection

if TYPE_CHECKING:
    from gradviz.session.comparison.compare import Comparison
    from gradviz.session.comparison.differences import Difference, Verdict
    from gradviz.session.comparison.proposals import Proposal
    from gradviz.session.state import State
    from gradviz.trace.table.trace import Trace

AS_WRITTEN = "as written"
CHANGED = "changed"
CANNOT = {Phase.RAISED: "it cannot be read", Phase.REFUSED: "it is not run", Phase.DIED: "its worker ended"}
CUT_SHORT = (Phase.LIMIT, Phase.STOPPED, Phase.DIED)


@dataclass(frozen=True)
class WhatIf:
    """The other run. `comparison` and `rows` are from the point of view of the front run; without a trace there are
    none."""

    proposal: Proposal
    base: Document  # the document when the change was made
    run: Run = field(default_factory=Run)
    trace: Trace | None = None
    steps: int = 0
    cursor: int = 0
    recorded: int = 0  # steps so far, during the run
    comparison: Comparison | None = None
    rows: tuple[Difference, ...] = ()
    sentence: str = ""  # the differences in one sentence
    selection: Selection | None = None
    swapped: bool = False  # the run with the change is in front
    names: tuple[str, str] = (AS_WRITTEN, CHANGED)  # of the two runs, before they are swapped

    @property
    def changed(self) -> Document:
        """The document with the change."""
        return with_text(self.base, self.proposal.text)

    @property
    def titles(self) -> tuple[str, str]:
        """The names of the front run and the other run."""
        both = (self.names[0], self.proposal.title)
        return both[::-1] if self.swapped else both

    @property
    def short_titles(self) -> tuple[str, str]:
        """The same, short."""
        return self.names[::-1] if self.swapped else self.names

    @property
    def summary(self) -> str:
        """The sentence above the two graphs."""
        if self.run.is_running:
            return f"Running {self.proposal.title} …"
        if self.run.phase in CUT_SHORT and self.comparison is not None and not self.swapped:
            return f"{self.run.sentence} So far: {self.sentence}"
        return self.sentence


def begun(state: State, proposal: Proposal) -> WhatIf:
    """The change is being run."""
    return WhatIf(proposal, state.document, Run(Phase.RUNNING, with_text(state.document, proposal.text)))


def failed(what_if: WhatIf, run: Run) -> WhatIf:
    """The change made no trace."""
    why = CANNOT.get(run.phase, "it made no steps")
    end = f": {run.sentence}" if run.sentence else "."
    return replace(what_if, run=run, sentence=f"{what_if.proposal.phrase}, {why}{end}")


def compared(state: State, what_if: WhatIf, run: Run, verdict: Verdict) -> WhatIf:
    """The change has run; the other cursor corresponds to the front one."""
    from gradviz.session.comparison.differences import sentence

    found, rows = verdict.comparison, verdict.rows
    return replace(
        what_if,
        run=run,
        trace=found.there,
        steps=len(found.there),
        cursor=found.cursor_there(state.cursor),
        comparison=found,
        rows=rows,
        sentence=sentence(what_if.proposal.phrase, found, rows),
    )


def recorded_beside(state: State, other: Run, verdict: Verdict, names: tuple[str, str]) -> WhatIf:
    """Two recordings, of two ranks of a job or of two runs, side by side."""
    from gradviz.session.comparison.proposals import Proposal

    beside = WhatIf(Proposal(names[1], -1, text_of(other.snippet)), other.snippet, names=names)
    return compared(state, beside, other, verdict)


def followed(what_if: WhatIf | None, cursor: int) -> WhatIf | None:
    """The other run's cursor follows the front one's."""
    if what_if is None or what_if.comparison is None:
        return what_if
    return replace(what_if, cursor=what_if.comparison.cursor_there(cursor))


def selected(what_if: WhatIf | None, selection: Selection | None) -> WhatIf | None:
    """Select the counterpart of the selection in the other run."""
    if what_if is None or what_if.comparison is None:
        return what_if
    partner = what_if.comparison.partner(selection.kind, selection.index) if selection is not None else -1
    there = Selection(selection.kind, partner) if selection is not None and partner >= 0 else None
    return replace(what_if, selection=there)


def swapped(state: State) -> State:
    """Swap the two runs; the same state if there are not two."""
    other = state.what_if
    if other is None or other.comparison is None or other.trace is None:
        return state
    behind = replace(
        other,
        run=state.run,
        trace=state.trace,
        steps=state.steps,
        cursor=state.cursor,
        selection=state.selection,
        comparison=other.comparison.flipped(),
        rows=tuple(row.flipped() for row in other.rows),
        swapped=not other.swapped,
    )
    return replace(
        state,
        run=other.run,
        trace=other.trace,
        traced=other.run.snippet,
        steps=other.steps,
        cursor=other.cursor,
        selection=other.selection,
        lineage=None,
        what_if=behind,
    )


def closed(state: State) -> State:
    """Keep only the unchanged snippet."""
    written = swapped(state) if state.what_if is not None and state.what_if.swapped else state
    return replace(written, what_if=None)


def taken(state: State) -> State:
    """Keep only the run with the change; the document is not touched here."""
    changed = swapped(state) if state.what_if is not None and not state.what_if.swapped else state
    return replace(changed, what_if=None)


def can_take(state: State) -> bool:
    """Whether the change can go into the document: its text is still the one that was changed."""
    return state.what_if is not None and state.document == state.what_if.base and not state.is_recording


def edit_label(what_if: WhatIf) -> str:
    """The name of the change for undo."""
    return f"What-If ({what_if.proposal.title})"


def moved_there(state: State, cursor: int) -> State:
    """Move the other run to a cursor, and the front one with it."""
    other = state.what_if
    if other is None or other.comparison is None:
        return state
    cursor = min(max(cursor, 0), other.steps)
    return replace(state, cursor=other.comparison.cursor_here(cursor), what_if=replace(other, cursor=cursor))


def selected_there(state: State, selection: Selection | None) -> State:
    """Select something in the other run, and its counterpart in the front one."""
    other = state.what_if
    if other is None or other.comparison is None:
        return state
    partner = other.comparison.flipped().partner(selection.kind, selection.index) if selection is not None else -1
    here = Selection(selection.kind, partner) if selection is not None and partner >= 0 else None
    return replace(state, selection=here, what_if=replace(other, selection=selection))
