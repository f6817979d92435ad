"""Which operations of a call made what it returns, so that its text is their name, and which ones were on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table import roles
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import gives_no_tensor, is_of_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


def has_own_text(trace: Trace, overwritten: NDArray[np.int64], asked: NDArray[np.int64]) -> NDArray[np.bool_]:
    """By operation: whether its only result is certainly named by its text, see `Naming._name`: it is not within a call
    that continues, as in `is_inner`, and not one that only passes its input on."""
    nodes, turn = trace.nodes, trace.nesting.turn
    after = np.minimum(asked + 1, len(nodes) - 1)
    goes_on = (nodes.site[after] == nodes.site[asked]) & (nodes.call[after] < 0) & (after > asked)
    goes_on &= turn[nodes.region[after]] == turn[nodes.region[asked]]
    goes_on |= nodes.call[after] >= 0  # a backward pass within it, perhaps
    goes_on |= (nodes.op[after] == "detach") & (nodes.site[after] != nodes.site[asked])  # perhaps, further on
    past = np.minimum(_past_callbacks(trace, asked, after), len(nodes) - 1)
    goes_on |= (past > after) & (nodes.site[past] == nodes.site[asked]) & (nodes.call[past] < 0)
    ends = goes_on & (nodes.site[after] == nodes.site[asked]) & (overwritten[after] < 0)
    ends &= nodes.call[after] < 0
    ends &= np.asarray(nodes.source[after] != nodes.source[asked], bool)
    texts = list(zip(nodes.op[asked].tolist(), nodes.source[asked].tolist(), strict=True))
    named = {(op, text): text != "" and not gives_no_tensor(op, text) for op, text in set(texts)}
    found: NDArray[np.bool_] = (~goes_on | ends) & np.array([named[each] for each in texts], bool)
    found &= (overwritten[asked] < 0) & ~np.isin(nodes.op[asked], _NEVER_PLAIN)
    found &= ~np.isin(asked, unfinished(trace))
    results = np.bincount(trace.tensors.producer[trace.tensors.producer >= 0], minlength=len(nodes))
    found &= results[asked] == 1
    return found


def is_inner(trace: Trace, overwritten: NDArray[np.int64], producer: int) -> bool:
    """Whether the call that an operation belongs to continues: then its text is the name of what comes last. An
    argument that was detached before the call has its step at its first use, within the call."""
    nodes, after = trace.nodes, producer + 1
    if gives_no_tensor(str(nodes.op[producer]), str(nodes.source[producer])) or producer in unfinished(trace):
        return True
    while after < len(nodes):
        if nodes.call[after] >= 0 and nodes.call[after] != nodes.call[producer]:  # of a backward pass within it
            after += 1
            continue
        if nodes.site[after] != nodes.site[producer]:
            past = int(_past_callbacks(trace, np.array([producer]), np.array([after]))[0])
            if nodes.op[after] != "detach" and past == after:
                break
            after = max(past, after + 1)
            continue
        if not _same_turn(trace, producer, after):
            return False
        continues = bool(nodes.source[after] == nodes.source[producer])
        if overwritten[after] < 0 or (continues and _is_used_up(trace, producer, after, int(overwritten[after]))):
            return continues and (
                not _is_read_elsewhere(trace, producer) or roles.in_one_module(trace, producer, after)
            )
        after += 1
    return False


def unfinished(trace: Trace) -> NDArray[np.int64]:
    """The operations that did not make what their call returns: it raised an error after them, goes on adding, or
    returns several tensors, as recurrent modules do."""

    def found() -> NDArray[np.int64]:
        return np.concatenate([_followed_by_error(trace), _partial_sums(trace), _stacked_states(trace)])

    return trace.kept("unfinished", found)


def _stacked_states(trace: Trace) -> NDArray[np.int64]:
    """The operations with which recurrent modules make their output and their last states."""
    stacks = np.flatnonzero(trace.nodes.op == "stack")
    of_modules = [each for each in stacks.tolist() if roles.recurrent(trace, int(trace.outputs_of(each)[0]))]
    return np.array(of_modules, np.int64)


def _followed_by_error(trace: Trace) -> NDArray[np.int64]:
    nodes, steps = trace.nodes, trace.steps
    known = np.flatnonzero((nodes.step >= 0) & (nodes.step + 1 < len(trace)) & (nodes.site >= 0))
    follows = nodes.step[known] + 1
    is_error = (steps.kind[follows] == Kind.CAUGHT) | (steps.kind[follows] == Kind.ERROR)
    return np.asarray(known[is_error & (steps.site[follows] == nodes.site[known])])


def _partial_sums(trace: Trace) -> NDArray[np.int64]:
    """The additions of Python's `sum()` whose result it adds to next."""
    nodes, turn = trace.nodes, trace.nesting.turn
    adds = [each for each in np.flatnonzero(nodes.op == "add").tolist() if is_of_sum("add", nodes.source[each])]
    place = {each: (nodes.site[each], turn[nodes.region[each]]) for each in adds}
    readers = ((each, int(by)) for each in adds for by in trace.users_of(int(trace.outputs_of(each)[0])))
    return np.array([each for each, by in readers if place.get(by) == place[each]], np.int64)


def _is_read_elsewhere(trace: Trace, producer: int) -> bool:
    """Whether a result is what a call returned, as only operations of others read it: what seems to continue is the
    next call of a comprehension."""
    nodes, users = trace.nodes, [int(each) for out in trace.outputs_of(producer) for each in trace.users_of(out)]
    return (
        nodes.call[producer] < 0
        and bool(users)
        and all(
            nodes.site[each] != nodes.site[producer] or nodes.source[each] != nodes.source[producer] for each in users
        )
        and not _is_given_by_vmap(trace, producer)
    )


def _is_given_by_vmap(trace: Trace, producer: int) -> bool:
    """Whether a result is an argument of vmap, split into examples, which the function that it calls reads."""
    ops = trace.nodes.op
    if not trace.kept("vmap ran", lambda: bool(np.isin(ops, OF_VMAP).any())):
        return False
    makers = (int(trace.tensors.producer[each]) for each in trace.inputs_of(producer) if each >= 0)
    return any(ops[each] in OF_VMAP for each in (producer, *makers) if each >= 0)


def _past_callbacks(trace: Trace, asked: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    """By operation: what runs next in its own function, if what comes `after` it runs in functions of the snippet that
    are called from there, as a solver calls the function that it was given; otherwise `after`."""
    nesting, region, found = trace.nesting, trace.nodes.region, after.copy()
    if not len(nesting.depth):
        return found
    own = region[asked]
    level = np.where(own >= 0, nesting.depth[own], -1)
    rows = np.flatnonzero((trace.nodes.site[after] != trace.nodes.site[asked]) & (region[after] >= 0))
    for _ in range(_MOST_CALLBACKS):
        rows = rows[found[rows] < len(region)]
        rows = rows[region[found[rows]] >= 0]
        rows = rows[nesting.depth[region[found[rows]]] > level[rows]]
        if not len(rows):
            break
        child = region[found[rows]]
        while (deeper := nesting.depth[child] > level[rows] + 1).any():
            child = np.where(deeper, nesting.parent[child], child)
        inside = nesting.parent[child] == own[rows]
        rows, child = rows[inside], child[inside]
        found[rows] += nesting.nodes[child]
    return found


def _is_used_up(trace: Trace, producer: int, writer: int, overwritten: int) -> bool:
    """Whether a call writes a result into something, or into what this operation gave a view of, as pad_sequence fills
    one row after the other: the call returns the whole."""
    if int(trace.tensors.producer[overwritten]) == producer:
        return str(trace.nodes.op[producer]) in _PARTS
    return bool(np.isin(trace.outputs_of(producer), trace.inputs_of(writer)).any())


def _same_turn(trace: Trace, one: int, other: int) -> bool:
    """Whether two operations ran in the same iteration of the loops around them."""
    turn, region = trace.nesting.turn, trace.nodes.region
    return bool(turn[region[one]] == turn[region[other]])


OF_VMAP = ("AddBatchDim", "BatchRepeat")  # what it makes of its arguments
_NEVER_PLAIN = (
    "as_strided",
    "detach",
    "unbind",
    "_to_copy",
    *OF_VMAP,
)  # which are not named by the text of their call, or not always
_MOST_CALLBACKS = 4  # one after the other, without an operation between them
_PARTS = ("select", "slice", "narrow", "diagonal", "view_as_real")
