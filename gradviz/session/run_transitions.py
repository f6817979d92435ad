"""State transitions when a document is opened and when a run begins, grows and ends: which trace and plots are shown,
and where the cursor is. Pure; called by `store`. `ui.services.worker_bridge` decides how a snippet is run and how often
it is shown meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gradviz.session import drawn, what_if
from gradviz.session.predict import Predict
from gradviz.session.state import Phase, Run, State

if TYPE_CHECKING:
    from pathlib import Path

    from gradviz.document.documents import Document
    from gradviz.session.doctor.lessons import Finding
    from gradviz.session.what_if import WhatIf
    from gradviz.trace.figures import Figure
    from gradviz.trace.table.trace import Trace


def opened(state: State, document: Document, path: Path | None, note: str, doubt: str) -> State:
    """Another document is shown. What belongs to the window stays: view settings, the search, the lessons."""
    view = state.view.with_recent(str(path)) if path else state.view
    lessons = None if state.lessons is None else replace(state.lessons, at=-1)
    fresh = State(document=document, saved=document, path=path, note=note, doubt=doubt, view=view, lessons=lessons)
    kept = {name: getattr(state, name) for name in ("search", "notice", "stage", "layout_progress")}
    return replace(fresh, predict=state.predict.anew(), **kept)


def begun(state: State, snippet: Document) -> State:
    """The previous trace and plots stay until there is something new. What has been run is trusted."""
    state = what_if.closed(state)
    run = Run(Phase.RUNNING, snippet, figures=state.run.figures)
    doctor = replace(state.doctor, findings=(), at=-1)
    return replace(state, run=run, doubt="", playing=False, recorded=0, live="", doctor=doctor)


def grown(state: State, trace: Trace, figures: tuple[Figure, ...]) -> State:
    """The current run has come this far; the cursor stays at its end, or where it was put meanwhile."""
    return _shown(state, replace(state.run, figures=figures), trace)


def ended(state: State, run: Run, trace: Trace | None) -> State:
    """A trace is shown at its end, unless the cursor was moved while it grew. Without a trace the previous one stays,
    unless it is of a run that started and was not stopped."""
    if trace is not None:
        return _shown(state, run, trace)
    if run.phase in (Phase.REFUSED, Phase.RAISED, Phase.STOPPED):
        return replace(state, run=run)
    return replace(without_trace(state), run=run)


def ended_live(state: State, run: Run, trace: Trace | None) -> State:
    """A drawing has run because it was changed: the cursor stays at the end, or after the same step, and the selection
    and highlights stay, too. Without a trace the previous one stays, unless there was nothing to run."""
    state = what_if.closed(state)
    if trace is None:
        gone = run.phase is Phase.NEVER
        return replace(replace(without_trace(state), chain=None) if gone else state, run=run, playing=False)
    cursor, lineage = drawn.place_again(state, run.snippet, trace)
    return replace(
        state,
        run=run,
        trace=trace,
        traced=run.snippet,
        steps=len(trace),
        cursor=cursor,
        selection=drawn.found_again(state, run.snippet, trace),
        lineage=lineage,
        playing=False,
        predict=state.predict.anew(),
    )


def without_trace(state: State) -> State:
    """Nothing has run."""
    anew = state.predict.anew()
    return replace(state, trace=None, steps=0, cursor=0, selection=None, lineage=None, origin=None, predict=anew)


def predicting(state: State, on: bool) -> State:
    """Start predicting, from before the first step if everything is already known, or stop. Whatever shows later steps
    is dropped."""
    state = what_if.closed(state)
    cursor = 0 if on and state.cursor == state.steps else state.cursor
    gone = replace(state, chain=None, check=None, origin=None, playing=False)
    return replace(gone, cursor=cursor, predict=Predict(on))


def compared(state: State, beside: WhatIf) -> State:
    """A second run is shown beside this one; predicting ends."""
    return replace(state, what_if=beside, predict=Predict() if state.predict.on else state.predict)


def _shown(state: State, run: Run, trace: Trace) -> State:
    """While predicting, a trace is shown from its start."""
    steps = len(trace)
    if state.trace is not None and state.trace.run is trace.run and state.cursor < state.steps:
        return replace(state, run=run, trace=trace, steps=steps)
    return replace(
        state,
        run=run,
        trace=trace,
        traced=run.snippet,
        steps=steps,
        cursor=0 if state.predict.on else steps,
        selection=drawn.found_again(state, run.snippet, trace),
        lineage=None,
        predict=state.predict.anew(),
    )


# -- the doctor's findings


def diagnosed(state: State, trace: Trace, findings: tuple[Finding, ...]) -> State:
    """The doctor has examined the run of this trace; the findings are ignored if another one is shown."""
    if state.trace is None or state.trace.run is not trace.run or state.run.is_running:
        return state
    return replace(state, doctor=replace(state.doctor, findings=findings, at=-1))


def looked_further(state: State) -> State:
    """Put the next finding on the card; after the last one comes none, then the first again."""
    at = state.doctor.at + 1
    return replace(state, doctor=replace(state.doctor, at=at if at < len(state.told) else -1))


def dismissed(state: State, span: str) -> State:
    """Dismiss the finding on the card: until the next run ("now"), in this "document", or for "good"."""
    finding, doctor, view = state.looked_at, state.doctor, state.view
    if finding is None:
        return state
    if span == "now":
        doctor = replace(doctor, findings=tuple(each for each in doctor.findings if each is not finding))
    elif span == "document":
        doctor = replace(doctor, quiet=doctor.quiet | {finding.id})
    else:
        view = replace(view, quiet=(*view.quiet, finding.id))
    return replace(state, doctor=replace(doctor, at=-1), view=view)


def kept_quiet(state: State, lessons: frozenset[str]) -> State:
    """Dismiss the lessons that were dismissed in this document before."""
    return replace(state, doctor=replace(state.doctor, quiet=lessons))


def told_again(state: State) -> State:
    """Restore all dismissed lessons."""
    return replace(state, doctor=replace(state.doctor, quiet=frozenset(), at=-1), view=replace(state.view, quiet=()))
