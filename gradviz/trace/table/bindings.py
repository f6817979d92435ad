"""From when on a tensor has the names that the snippet binds it to, and which one of them goes on under a name."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.table.name_text import indexed, tree_of, written_to
from gradviz.trace.table.schema import NEVER
from gradviz.trace.table.tables import History

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.trace.table.trace import Trace


def bound_names(trace: Trace) -> set[str]:
    """Everything that the snippet has given a name to."""
    known: set[str] = trace.kept("bound names", lambda: set(trace.names.name.tolist()))
    return known


def known_at(trace: Trace, tensor: int, rows: NDArray[np.int64], cursor: int) -> NDArray[np.int64]:
    """The bindings of a tensor, of `rows` in order, that its name at a cursor may come from. A leaf has the same name
    throughout: a parameter is made before its module has a name. What a backward call returns and what an assignment
    makes before its end, `q` in `q, k = f(x), g(x)`, have their names at once."""
    producer, steps = int(trace.tensors.producer[tensor]), trace.names.step[rows]
    if producer < 0 or not len(rows) or steps[-1] < cursor:
        return rows
    call = int(trace.nodes.call[producer])
    if call >= 0 and (end := int(trace.calls.end[call])) != NEVER:
        cursor = max(cursor, end + 1)
    cursor = max(cursor, _end_of_assignment(trace, tensor, rows))
    return rows[: int(np.searchsorted(steps, cursor))]


def views_written(trace: Trace) -> dict[int, int]:
    """By the operation that gives a view its new history after a write through it: the view before, under whose name
    the snippet goes on."""
    nodes, tensors, found, called = trace.nodes, trace.tensors, dict[int, int](), dict[int, str]()
    after = np.flatnonzero((nodes.op == "as_strided") & (nodes.name != ""))
    after = after[(after > 0) & (nodes.name[after - 1] == "CopySlices") & (nodes.step[after - 1] == nodes.step[after])]
    if not len(after):
        return {}
    bound, sharing = bound_names(trace), History(tensors.storage, None)
    for node in after.tolist():
        view, text = int(trace.outputs_of(node)[0]), written_to(str(nodes.source[node]), bound)
        called[view] = text = indexed(text) if nodes.op[node - 1] == "index_put" else text
        alike = sharing.all(int(tensors.storage[view]))
        earlier = map(int, alike[: np.searchsorted(alike, view)][::-1])
        made = (each for each in earlier if tensors.producer[each] >= 0)
        views = (each for each in made if nodes.name[tensors.producer[each]] != "CopySlices")  # not the base
        for each in islice(views, _LOOKED_AT):
            names = trace.names.name[trace.history("names", "tensor").all(each)].tolist()
            names += [called.get(each, str(nodes.source[tensors.producer[each]]))]
            if text in names and tensors.shape[each] == tensors.shape[view]:
                found[node] = each
                break
    return found


_LOOKED_AT = 64  # tensors in the same memory


def _end_of_assignment(trace: Trace, tensor: int, rows: NDArray[np.int64]) -> int:
    """The cursor at which the assignment that made a tensor has bound it, 0 if it is read before that, or not bound."""
    producer, names = int(trace.tensors.producer[tensor]), trace.names
    targets = trace.kept("names assigned on lines", lambda: _assigned_on_lines(trace.source))
    given = targets.get(int(trace.nodes.line[producer]), frozenset())
    if not given or trace.nodes.site[producer] in trace.elsewhere.site:
        return 0
    readers = trace.users_of(tensor)
    first_read = int(trace.nodes.step[readers].min(initial=len(trace)))
    for row in rows[names.step[rows] <= first_read].tolist():
        if str(names.name[row]).partition("[")[0] in given:
            return int(names.step[row]) + 1
    return 0


def _assigned_on_lines(source: str) -> dict[int, frozenset[str]]:
    """By line, the variables of the innermost assignment that covers it."""
    found = dict[int, frozenset[str]]()
    for node in ast.walk(tree_of(source)):  # outer ones come before what is inside them
        if isinstance(node, ast.Assign):
            names = [each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            found |= dict.fromkeys(lines, frozenset(names))
    return found
