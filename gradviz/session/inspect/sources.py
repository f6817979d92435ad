"""From things in a trace to the source text that made them, and back; and the backward call in progress, written with
all of its arguments. Pure; lines count from 1, columns from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.session.groups import as_operation
from gradviz.session.state import Selection, State

if TYPE_CHECKING:
    from gradviz.trace.table.schema import Elsewhere, Sites
    from gradviz.trace.table.trace import Trace

PROGRAM = -1  # instead of the number of another file
OFF, ON = "☐", "☑"


@dataclass(frozen=True)
class Place:
    """An expression in the snippet, or in another file of a recorded job; a whole line if the columns are equal."""

    line: int
    col: int
    end_line: int
    end_col: int
    file: int = PROGRAM  # a row of `trace.files`


def step_place(state: State) -> Place | None:
    """The line that the current step belongs to, None for none."""
    if state.trace is None or not state.cursor:
        return None
    from gradviz.trace.table.frame import current_site
    from gradviz.trace.table.trace import elsewhere_at

    trace, site = state.trace, current_site(state.trace.frame(state.cursor))
    row = elsewhere_at(trace, site)
    if row >= 0 and trace.files.source[trace.elsewhere.file[row]]:
        line = int(trace.elsewhere.line[row])
        return Place(line, 0, line, 0, int(trace.elsewhere.file[row]))
    line = int(trace.sites.line[site]) if site >= 0 else -1
    return Place(line, 0, line, 0)


def place_of(trace: Trace, thing: Selection) -> Place | None:
    """Where a thing was made, None if no line of the snippet made it."""
    from gradviz.trace.table.trace import elsewhere_at

    if thing.kind == "group" and 0 <= thing.index < len(trace.regions):
        site = int(trace.regions.site[thing.index])
    else:
        thing = as_operation(trace, thing)
        table = trace.nodes if thing.kind == "node" else trace.tensors
        site = int(table.site[thing.index])
    row = elsewhere_at(trace, site)
    if row >= 0 and trace.files.source[trace.elsewhere.file[row]]:
        return Place(*_columns(trace.elsewhere, row), file=int(trace.elsewhere.file[row]))
    if site < 0 or trace.sites.line[site] < 1:
        return None
    return Place(*_columns(trace.sites, site))


def _columns(table: Sites | Elsewhere, row: int) -> tuple[int, int, int, int]:
    return int(table.line[row]), int(table.col[row]), int(table.end_line[row]), int(table.end_col[row])


def made_at(state: State, line: int, col: int, file: int = PROGRAM) -> list[Selection]:
    """What the expressions at a caret made, or, outside any, those on its line: visible things first, of those the
    smallest expression first."""
    trace = state.trace
    if trace is None or not state.steps:
        return []
    import numpy as np

    sites: Sites | Elsewhere = trace.sites if file == PROGRAM else trace.elsewhere
    on_line = (sites.line <= line) & (line <= sites.end_line)
    after = (sites.line < line) | (sites.col <= col)
    before = (line < sites.end_line) | (col <= sites.end_col)
    here = on_line & after & before & (sites.end_col > sites.col)
    for wanted in (here, on_line, sites.line == line):
        if file != PROGRAM:
            inside = trace.elsewhere.site[wanted & (trace.elsewhere.file == file)]
            wanted = np.isin(np.arange(len(trace.sites)), inside)
        found = _made_by(state, np.append(wanted, False))
        if found:
            return found
    return []


def _made_by(state: State, wanted: object) -> list[Selection]:
    """The things made at some sites (a mask); an operation comes before its results."""
    import numpy as np

    trace = state.trace
    assert trace is not None
    mask = np.asarray(wanted)
    frame = trace.frame(state.cursor)
    nodes, tensors = np.flatnonzero(mask[trace.nodes.site]), np.flatnonzero(mask[trace.tensors.site])
    index = np.concatenate((nodes, tensors))
    is_tensor = np.arange(len(index)) >= len(nodes)
    shown = np.concatenate((frame.shown_nodes[nodes], frame.shown_tensors[tensors]))
    site = np.concatenate((trace.nodes.site[nodes], trace.tensors.site[tensors]))
    step = np.concatenate((trace.nodes.step[nodes], trace.tensors.step[tensors]))
    sites = trace.sites
    length = (sites.end_line[site] - sites.line[site]) * 10_000 + sites.end_col[site] - sites.col[site]
    order = np.lexsort((is_tensor, step, length, ~shown))
    return [Selection("tensor" if is_tensor[at] else "node", int(index[at])) for at in order.tolist()]


def next_made_at(state: State, line: int, col: int, file: int = PROGRAM) -> Selection | None:
    """Of several things that a line made, the one after the selected one."""
    found = made_at(state, line, col, file)
    if not found:
        return None
    at = found.index(state.selection) + 1 if state.selection in found else 0
    return found[at % len(found)]


# --- the call in progress ---


def call_texts(state: State) -> tuple[str, ...]:
    """Ways to write the call, longest first: with every argument, with the flags and what was given, with only what was
    given. Empty outside a backward call."""
    if state.trace is None or not state.cursor:
        return ()
    frame = state.trace.frame(state.cursor)
    if frame.call < 0 or not frame.in_call:
        return ()
    name, parts = _arguments(state.trace, frame.call)
    flags = [part for part, given in parts if given or OFF in part]
    given = [part for part, given in parts if given]
    return tuple(dict.fromkeys(_written(name, some) for some in ([part for part, _ in parts], flags, given)))


def _written(name: str, parts: list[str]) -> str:
    return f"{name}( {'  '.join(parts)} )" if parts else f"{name}()"


def _arguments(trace: Trace, call: int) -> tuple[str, list[tuple[str, bool]]]:
    """The function, and each argument with whether it differs from its default."""
    is_grad = "grad(" in str(trace.calls.source[call])
    roots = trace.roots.value[trace.roots.call == call]
    passed = bool((roots >= 0).any())
    wanted = trace.wanted_by(call).tolist()
    frame = trace.frame(int(trace.calls.step[call]) + 1)
    names = ", ".join(frame.name(tensor) for tensor in wanted)
    gradient = "grad_outputs" if is_grad else "gradient"
    parts = [
        (f"{gradient}={'given' if passed else 'None'}", passed),
        _flag("retain_graph", bool(trace.calls.retain_graph[call])),
        _flag("create_graph", bool(trace.calls.create_graph[call])),
        (f"inputs={names or 'all'}", bool(wanted)),
    ]
    return "autograd.grad" if is_grad else "backward", parts


def _flag(name: str, on: bool) -> tuple[str, bool]:
    return f"{name} {ON if on else OFF}", on
