"""Which part of a drawing a row of its trace belongs to, and the selections of both, kept in step: after the drawing
was changed, the same selection, the same lineage and the corresponding step in the new trace.

A drawing runs as its code, and each operation that ran knows its expression, so the two meet in the code. A node may be
several operations of the trace (`linear` is a transpose and an `addmm`). `gradviz.ui.drawing` displays the result;
`store` has the selections followed at every change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gradviz.document.documents import code_of, text_of
from gradviz.document.drawing import Drawing, Leaf, Node, Operation, Ref, in_place
from gradviz.session.state import Lineage, Selection, State

if TYPE_CHECKING:
    from gradviz.document.documents import Document
    from gradviz.trace.table.trace import Trace


Place = tuple[int, int, int, int]  # line, column, end line, end column


@dataclass(frozen=True, eq=False)
class Drawn:
    """`rows` are rows of `trace.nodes` by drawing node, the last of which makes its result; `tensors` are rows of
    `trace.tensors`. What is missing has not been evaluated."""

    drawing: Drawing
    rows: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    tensors: Mapping[Ref, int] = field(default_factory=dict)
    node_of_row: Mapping[int, int] = field(default_factory=dict)
    ref_of_tensor: Mapping[int, Ref] = field(default_factory=dict)
    node_of_tensor: Mapping[int, int] = field(default_factory=dict)  # including tensors made inside a node
    passed: frozenset[int] = frozenset()  # nodes that returned their input, as x.contiguous() may
    failed: int = 0  # the node at which the run ended with an error, 0 for none

    def node_of(self, kind: str, index: int) -> int:
        """The drawing node to which a "node" or "tensor" of the trace belongs, 0 for none."""
        return (self.node_of_row if kind == "node" else self.node_of_tensor).get(index, 0)


_known: WeakKeyDictionary[Trace, tuple[Drawing, int, Drawn]] = WeakKeyDictionary()


def drawn(drawing: Drawing, trace: Trace) -> Drawn:
    """Where the nodes of a drawing are in the trace of its code, as far as the trace goes."""
    length = len(trace.nodes) + len(trace.tensors) + len(trace.names) + len(trace.errors)
    known = _known.get(trace)
    if known is None or known[0] is not drawing or known[1] != length:
        known = _known[trace] = drawing, length, _find(drawing, trace)
    return known[2]


def drawing_of(traced: Document, drawing: Drawing) -> Drawing | None:
    """The drawing in which a trace of this document can be looked up: the traced one, or this one if their code is
    equal."""
    if isinstance(traced, Drawing):
        return traced
    return drawing if traced.text == text_of(drawing) else None


def stale(drawing: Drawing, traced: Drawing) -> frozenset[int]:
    """The nodes whose values in a trace of `traced` are out of date in this drawing: those that changed in more than
    name or position, and everything computed from them."""
    if drawing is traced:
        return frozenset()
    before = traced.by_id
    waiting = [node.id for node in drawing.nodes if node is not before.get(node.id) and _differs(node, before)]
    users: dict[int, list[int]] = {}
    for node in drawing.nodes if waiting else ():
        for operand in node.inputs if isinstance(node, Operation) else ():
            if isinstance(operand, Ref):
                users.setdefault(operand.node, []).append(node.id)
    found: set[int] = set()
    while waiting:
        node_id = waiting.pop()
        if node_id not in found:
            found.add(node_id)
            waiting += users.get(node_id, ())
    return frozenset(found)


def _differs(node: Node, before: Mapping[int, Node]) -> bool:
    return _meant(node) != (_meant(before[node.id]) if node.id in before else None)


def _meant(node: Node) -> Node:
    """A node without its name and position."""
    if isinstance(node, Leaf):
        return replace(node, name="", slider=None, x=0.0, y=0.0, pinned=False)
    return replace(node, names=(), x=0.0, y=0.0, pinned=False)


def _find(drawing: Drawing, trace: Trace) -> Drawn:
    node_at = {(span.line, span.col, span.end_line, span.end_col): span.node for span in code_of(drawing).spans}
    sites = trace.sites
    columns = (sites.line.tolist(), sites.col.tolist(), sites.end_line.tolist(), sites.end_col.tolist())
    of_site = [node_at.get(place, 0) for place in zip(*columns, strict=True)]
    rows: dict[int, tuple[int, ...]] = {}
    node_of_row: dict[int, int] = {}
    for row, (site, call) in enumerate(zip(trace.nodes.site.tolist(), trace.nodes.call.tolist(), strict=True)):
        node = of_site[site] if site >= 0 and call < 0 else 0
        if node:
            rows[node] = (*rows.get(node, ()), row)
            node_of_row[row] = node
    tensors, inside = _tensors(drawing, trace, of_site, rows)
    passed = _passed(drawing, trace, rows, tensors)
    failed = _failed(drawing, trace, tensors)
    tensors = {ref: tensor for ref, tensor in tensors.items() if ref.node != failed}  # without that of half a node
    back: dict[int, Ref] = {}
    for ref, tensor in tensors.items():
        back.setdefault(tensor, ref)
    inside |= {tensor: ref.node for tensor, ref in back.items()}
    return Drawn(drawing, rows, tensors, node_of_row, back, inside, passed, failed)


def _passed(
    drawing: Drawing, trace: Trace, rows: Mapping[int, tuple[int, ...]], tensors: dict[Ref, int]
) -> frozenset[int]:
    """The nodes that made nothing but returned the tensor at their first port: it has their name, or the operation that
    uses them has read it. They are added to `tensors`."""
    silent = {}
    for node in drawing.nodes:
        refs = [ref for ref in node.inputs if isinstance(ref, Ref)] if isinstance(node, Operation) else []
        if refs and node.id not in rows:
            silent[node.id] = refs[0]
    found = {node for node in silent if Ref(node) in tensors}
    for node in drawing.nodes if len(silent) > len(found) else ():
        if not isinstance(node, Operation) or (node.id not in rows and node.id not in found):
            continue
        read = {int(tensor) for row in rows.get(node.id, ()) for tensor in trace.inputs_of(row)}
        read |= {tensors[Ref(node.id)]} if node.id in found else set()
        for ref in node.inputs:
            chain = _chain(ref.node, silent, tensors) if isinstance(ref, Ref) else []
            source = tensors.get(silent[chain[-1]], -1) if chain else -1
            if source in read:
                found.update(chain)
                tensors.update({Ref(each): source for each in chain})
    return frozenset(found)


def _chain(node: int, silent: Mapping[int, Ref], tensors: Mapping[Ref, int]) -> list[int]:
    """This node and those before it that made nothing, up to one that did."""
    found: list[int] = []
    while node in silent and Ref(node) not in tensors and node not in found:
        found.append(node)
        node = silent[node].node
    return found


def _failed(drawing: Drawing, trace: Trace, tensors: Mapping[Ref, int]) -> int:
    """The node whose operation raised: of those on that line with all their inputs, the first one without a result;
    otherwise the outermost, which has been evaluated in part."""
    line = int(trace.errors.line[0]) if len(trace.errors) else -1
    spans = [span for span in code_of(drawing).spans if span.line <= line <= span.end_line]
    able = []
    for span in sorted(spans, key=lambda span: (span.line, span.col, -span.end_line, -span.end_col)):
        node = drawing.by_id.get(span.node)
        refs = [ref for ref in node.inputs if isinstance(ref, Ref)] if isinstance(node, Operation) else []
        if node is None or not all(ref in tensors for ref in refs):
            continue
        if Ref(node.id) not in tensors:
            return node.id
        able += [node.id] if isinstance(node, Operation) else []
    return able[0] if able else 0


def _tensors(
    drawing: Drawing, trace: Trace, of_site: list[int], rows: dict[int, tuple[int, ...]]
) -> tuple[dict[Ref, int], dict[int, int]]:
    """The tensor of each output, and the node in which each tensor was made."""
    found: dict[Ref, int] = {}
    inside: dict[int, int] = {}
    table = trace.tensors
    columns = table.site.tolist(), table.producer.tolist(), table.output_nr.tolist(), table.grad_of.tolist()
    for tensor, (site, producer, output, grad_of) in enumerate(zip(*columns, strict=True)):
        node = of_site[site] if site >= 0 and grad_of < 0 else 0
        if not node:
            continue
        inside[tensor] = node
        if isinstance(drawing.by_id.get(node), Leaf):
            found[Ref(node)] = tensor
        elif producer >= 0 and rows.get(node, (-1,))[-1] == producer:
            found[Ref(node, max(output, 0))] = tensor
    # an operation that returns its own input (x.contiguous()) makes no tensor, but has a name
    of_name = dict(zip(trace.names.name.tolist(), trace.names.tensor.tolist(), strict=True))
    for node, names in code_of(drawing).names:
        if node not in rows and in_place(drawing.by_id[node]):
            continue  # its name may be that of the tensor that it would have changed
        for output, name in enumerate(names):
            tensor = of_name.get(name, -1)
            if inside.get(tensor) == node:
                found[Ref(node, output)] = tensor  # argsort returns the second of the tensors that its node makes
            elif tensor >= 0:
                found.setdefault(Ref(node, output), tensor)
    outputs = {node: len(names) for node, names in code_of(drawing).names}  # a name, if written in place
    return {ref: tensor for ref, tensor in found.items() if ref.output < outputs.get(ref.node, 1)}, inside


# --- The selections of a drawing and of its trace ---

NOTHING: frozenset[int] = frozenset()


def selection_for(state: State, picked: frozenset[int]) -> Selection | None:
    """What the inspector shows of the trace for this selection in the drawing: the result of the only node, unless
    something else of that node is already selected."""
    found = _drawn(state)
    if found is None or len(picked) != 1:
        return None
    (node,) = picked
    now = state.selection
    if now is not None and found.node_of(now.kind, now.index) == node:
        return now
    return _of_node(found, node)


def picked_for(state: State, selection: Selection | None) -> frozenset[int]:
    """What to select in the drawing for this selection in the trace: the node that it is part of."""
    found = _drawn(state)
    if found is None:
        return state.picked if selection is None and state.drawing is None else NOTHING
    node = found.node_of(selection.kind, selection.index) if selection is not None else 0
    return frozenset({node}) if state.drawing is not None and node in state.drawing.by_id else NOTHING


def found_again(state: State, traced: Document, trace: Trace) -> Selection | None:
    """The selection in a newer trace of the drawing: the same tensor or operation of the same node."""
    if not isinstance(traced, Drawing):
        return None
    old, new, now = _drawn(state), drawn(traced, trace), state.selection
    again = thing_again(old, new, now) if old is not None and now is not None else None
    if again is not None:
        return again
    return _of_node(new, next(iter(state.picked))) if len(state.picked) == 1 else None


def place_again(state: State, traced: Document, trace: Trace) -> tuple[int, Lineage | None]:
    """The cursor and the lineage in a newer trace of the drawing; a cursor at the end stays at the end."""
    at_end = state.trace is None or state.cursor >= state.steps
    old = _drawn(state)
    if old is None or state.trace is None or not isinstance(traced, Drawing):
        return len(trace) if at_end else min(state.cursor, len(trace)), None
    new = drawn(traced, trace)
    cursor = len(trace) if at_end else cursor_again(Ran(old, state.trace), Ran(new, trace), state.cursor)
    return cursor, lineage_again(old, new, state.lineage)


def still_there(document: Document, picked: frozenset[int]) -> frozenset[int]:
    """The selection of the drawing, without what no longer exists."""
    if not picked or not isinstance(document, Drawing):
        return NOTHING
    known = picked & document.by_id.keys()
    others = ({one.id for one in document.comments} | {one.id for one in document.groups}) & picked
    return picked if len(known) + len(others) == len(picked) else known | others


def _drawn(state: State) -> Drawn | None:
    drawing = state.drawing
    if drawing is None or state.trace is None:
        return None
    traced = drawing_of(state.traced, drawing)
    return drawn(traced, state.trace) if traced is not None else None


def _of_node(found: Drawn, node: int) -> Selection | None:
    tensor = found.tensors.get(Ref(node))
    if tensor is not None:
        return Selection("tensor", tensor)
    return Selection("node", found.rows[node][-1]) if node in found.rows else None


Key = tuple[int, int, int]  # the kind of a step, the node of the drawing, and which of these steps


@dataclass(frozen=True)
class Ran:
    """A trace, and where the nodes of its drawing are in it."""

    drawn: Drawn
    trace: Trace


def thing_again(old: Drawn, new: Drawn, thing: Selection) -> Selection | None:
    """The same tensor or operation of the same node."""
    if thing.kind == "tensor" and thing.index in old.ref_of_tensor:
        tensor = new.tensors.get(old.ref_of_tensor[thing.index])
        return Selection("tensor", tensor) if tensor is not None else None
    node = old.node_of(thing.kind, thing.index)
    if thing.kind == "node" and node in new.rows:
        nth = old.rows[node].index(thing.index)
        return Selection("node", new.rows[node][min(nth, len(new.rows[node]) - 1)])
    return None


def lineage_again(old: Drawn, new: Drawn, lineage: Lineage | None) -> Lineage | None:
    """The same lineage; None if its subject no longer exists."""
    if lineage is None:
        return None
    of = thing_again(old, new, lineage.of)
    to = thing_again(old, new, lineage.to) if lineage.to is not None else None
    if of is None or (to is None and lineage.to is not None):
        return None
    return Lineage(lineage.kind, of, to)


def cursor_again(old: Ran, new: Ran, cursor: int) -> int:
    """After the same step; if that no longer exists, after the latest earlier one that does."""
    if cursor <= 0 or _same_steps(old, new):
        return min(max(cursor, 0), len(new.trace))
    at = {key: step for step, key in enumerate(_keys(new))}
    for key in reversed(_keys(old)[:cursor]):
        if key in at:
            return at[key] + 1
    return 0


def _same_steps(old: Ran, new: Ran) -> bool:
    import numpy as np

    one, other = old.trace.steps, new.trace.steps
    pairs = (one.kind, other.kind), (one.node, other.node), (one.tensor, other.tensor)
    same = all(np.array_equal(mine, theirs) for mine, theirs in pairs)
    return same and old.drawn.rows == new.drawn.rows and old.drawn.tensors == new.drawn.tensors


def _keys(ran: Ran) -> list[Key]:
    """The identity of each step in terms of the nodes of the drawing."""
    steps, drawn = ran.trace.steps, ran.drawn
    many: Counter[tuple[int, int]] = Counter()
    found: list[Key] = []
    for kind, row, tensor in zip(steps.kind.tolist(), steps.node.tolist(), steps.tensor.tolist(), strict=True):
        node = drawn.node_of_row.get(row, 0) or drawn.node_of_tensor.get(tensor, 0)
        found.append((kind, node, many[kind, node]))
        many[kind, node] += 1
    return found
