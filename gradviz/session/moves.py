"""Where the cursor and the selection go next: pure functions of the state. A cursor is the number of completed steps,
so the step that made the picture is `cursor - 1`. A tensor or operation changes with its value, version, .grad, flags
and input buffer, and with its forward, its backward and the freeing of its buffers.

Stepping stops at the ends of folds, see Note [Folds], and at breakpoints inside them. Jumps go to exactly the requested
step, except that a node's backward is shown together with what it frees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradviz.session.breakpoints.points import next_hit, previous_hit
from gradviz.session.columns import place
from gradviz.session.groups import as_operation
from gradviz.session.problem import problem
from gradviz.session.state import Selection, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


NEAR = 1000  # steps that are searched together
Find = Callable[[State], "int | None"]


def walked(state: State, by: int) -> int:
    """The cursor this many steps forward or back."""
    cursor, trace = state.cursor, state.trace
    if trace is None or state.view.every_step:
        return cursor + by
    hits = state.breakpoints.hits.steps
    for _ in range(min(abs(by), state.steps)):
        start, end = trace.fold_around(cursor + 1 if by > 0 else cursor)
        hit = next_hit(hits, cursor) if by > 0 else previous_hit(hits, cursor)
        if by > 0:
            cursor = min(end, end if hit is None else hit)
        else:
            cursor = max(start, start if hit is None else hit)
    return cursor


def settled(state: State, cursor: int) -> int:
    """The cursor at which the step before a cursor is shown completely."""
    if state.trace is None or state.view.every_step or not 0 < cursor < len(state.trace):
        return cursor
    return state.trace.fold_around(cursor)[1]


def with_buffers(state: State, cursor: int | None) -> int | None:
    """The same only for a node's backward, which is followed by the buffers it frees."""
    if cursor is None or state.trace is None or state.view.every_step or not 0 < cursor < len(state.trace):
        return cursor
    end = state.trace.fold_around(cursor)[1]
    return end if state.trace.frame_at(end).began == cursor - 1 else cursor


def next_accumulation(state: State) -> int | None:
    """The cursor after the next AccumulateGrad."""
    return _next(state, "ACCUMULATE")


def next_backward(state: State) -> int | None:
    """The cursor after the next grad_fn has run."""
    return with_buffers(state, _next(state, "BACKWARD"))


def error(state: State) -> int | None:
    """The cursor at the error, unless it is already there."""
    if state.trace is None or state.trace.error_step == state.cursor:
        return None
    return state.trace.error_step


def _next(state: State, kind: str) -> int | None:
    if state.trace is None:
        return None
    from gradviz.trace.table.kinds import Kind

    return state.trace.next_of(Kind[kind], state.cursor)


def next_break(state: State) -> int | None:
    """The cursor after the next step at which a breakpoint stops."""
    return next_hit(state.breakpoints.hits.steps, state.cursor)


def previous_break(state: State) -> int | None:
    """The cursor after the previous step at which a breakpoint stops."""
    return previous_hit(state.breakpoints.hits.steps, state.cursor)


def last_change(state: State) -> int | None:
    """The cursor after the last step that changed the inspected thing."""
    return _change(state, forward=False)


def next_change(state: State) -> int | None:
    """The cursor after the next step that changes the inspected thing."""
    return _change(state, forward=True)


def _change(state: State, *, forward: bool) -> int | None:
    thing = inspected(state)
    if state.trace is None or thing is None:
        return None
    find = next_change_of if forward else last_change_of
    found = find(state.trace, thing, state.cursor)
    if found is not None and with_buffers(state, found) == state.cursor:  # when going back from there
        found = find(state.trace, thing, found)
    return with_buffers(state, found)


def inspected(state: State) -> Selection | None:
    """What the inspector shows: the selection, or the subject of the current step, or of the last step that has one
    (printing a line has none)."""
    if state.trace is None or not state.steps:
        return None
    if state.selection is not None:
        return state.selection
    if not state.cursor:
        return None
    frame = state.trace.frame(state.cursor)
    if frame.current_node >= 0:
        return Selection("node", int(frame.current_node))
    if frame.current_tensor >= 0:
        return Selection("tensor", int(frame.current_tensor))
    return _blamed(state) or _latest(state.trace, state.cursor)


def _latest(trace: Trace, cursor: int) -> Selection | None:
    """The operation or tensor of the last step before a cursor that has one."""
    import numpy as np

    while cursor > 0:
        start = max(0, cursor - NEAR)
        node, tensor = trace.steps.node[start:cursor], trace.steps.tensor[start:cursor]
        found = np.flatnonzero((node >= 0) | (tensor >= 0))
        if len(found):
            last = found[-1]
            return Selection("node", int(node[last])) if node[last] >= 0 else Selection("tensor", int(tensor[last]))
        cursor = start
    return None


def _blamed(state: State) -> Selection | None:
    """At an error, the operation at fault."""
    found = problem(state) if state.trace is not None else None
    if found is None or found.cursor != state.cursor or not found.nodes:
        return None
    return Selection("node", found.nodes[0])


def neighbour(state: State, step: int) -> Selection | None:
    """The next (1) or previous (-1) visible tensor or operation, in order of creation."""
    things = on_screen(state)
    if not things:
        return None
    current = inspected(state)
    if current not in things:
        return things[0 if step > 0 else -1]
    return things[(things.index(current) + step) % len(things)]


def on_screen(state: State) -> list[Selection]:
    """Operations and tensors of the graphs shown at the cursor; a node comes before its results."""
    if state.trace is None:
        return []
    import numpy as np

    trace, frame = state.trace, state.trace.frame(state.cursor)
    nodes, tensors = np.flatnonzero(frame.shown_nodes), np.flatnonzero(frame.shown_tensors)
    steps = np.concatenate([trace.nodes.step[nodes], trace.tensors.step[tensors]])
    things = [Selection("node", int(row)) for row in nodes] + [Selection("tensor", int(row)) for row in tensors]
    return [things[place] for place in np.argsort(steps, kind="stable")]


def inspected_tensor(state: State) -> int | None:
    """The inspected tensor, or the result of the inspected operation; None for neither."""
    thing = inspected(state)
    if thing is None or state.trace is None or thing.kind == "group":
        return None
    if thing.kind == "tensor":
        return thing.index
    made = state.trace.outputs_of(thing.index)
    return int(made[0]) if len(made) else None


# -- the steps at which a thing changed

TENSOR_TABLES = ("writes", "grads", "flags", "arrivals")


def last_change_of(trace: Trace, thing: Selection, cursor: int) -> int | None:
    """The last cursor before `cursor` right after a change, None if there is none."""

    steps = changes(trace, thing)
    at = place(steps, cursor - 1) - 1
    return int(steps[at]) + 1 if at >= 0 else None


def next_change_of(trace: Trace, thing: Selection, cursor: int) -> int | None:
    """The first cursor after `cursor` right after a change, None if there is none."""

    steps = changes(trace, thing)
    at = place(steps, cursor)
    return int(steps[at]) + 1 if at < len(steps) else None


def changes(trace: Trace, thing: Selection) -> NDArray[Any]:
    """The steps that changed it, ascending, starting with the one that made it."""
    import numpy as np

    thing = as_operation(trace, thing)
    found = _of_tensor(trace, thing.index) if thing.kind == "tensor" else _of_node(trace, thing.index)
    steps = np.unique(np.concatenate(found))
    return steps[(steps >= 0) & (steps < len(trace))]


def _of_tensor(trace: Trace, tensor: int) -> list[NDArray[Any]]:
    made = trace.tensors.step[tensor : tensor + 1]
    return [made, *(getattr(trace, name).step[trace.history(name, "tensor").all(tensor)] for name in TENSOR_TABLES)]


def _of_node(trace: Trace, node: int) -> list[NDArray[Any]]:
    import numpy as np

    from gradviz.trace.table.tables import span

    low, high = span(trace.saved.node, node, node + 1)
    storages = np.unique(trace.saved.storage[low:high]).tolist()
    written = [trace.versions.step[trace.history("versions", "storage").all(storage)] for storage in storages]
    since = int(trace.nodes.step[node])
    return [
        np.array([since]),
        trace.history("steps", "node").all(node),
        *(steps[steps > since] for steps in written),
    ]
