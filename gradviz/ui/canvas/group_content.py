"""The words and numbers on a closed group at a moment: how much of it ran, what it holds, what happens in it now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.frame import NOT_FINITE
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.values import number_text
from gradviz.ui.canvas.group_words import GRADIENTS

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Frame
    from gradviz.ui.canvas.diagram import Diagram

Ints = NDArray[np.int64]
UNITS = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class GroupContent:
    """A closed group. Of `operations` so many `ran` forward; of `tracked` ones so many `went` backward in this call."""

    title: str
    detail: str  # "×50 · t = 0 … 49"
    kind: int  # see `groups`
    operations: int
    ran: int
    tracked: int
    went: int
    held: str  # "1.2 kB", "" for nothing
    norm: str  # of the gradient that left it, or of its parameters', "" for none
    now: str  # what the current step is in it, "t = 17 · MulBackward0"
    bad: bool  # a gradient that left it, or that its parameters hold, is not finite
    parameters: int = 0  # numbers in the parameters that its operations use
    problem: str = ""  # "NaN in blocks.3 · LogBackward0": where in it the first value or gradient is not finite


def group_content(diagram: Diagram, frame: Frame, item: int) -> GroupContent:
    """What a closed group says at the frame's cursor."""
    groups, number = diagram.structure.groups, int(diagram.group[item])
    nodes = nodes_of(diagram, item)
    norm = _left(diagram, frame, item)
    return GroupContent(
        title=groups.title[number],
        detail=groups.detail[number],
        kind=int(groups.kind[number]),
        operations=len(nodes),
        ran=int(frame.node_created[nodes].sum()),
        tracked=int(diagram.operations_in[item]),
        went=int(frame.node_ran[nodes].sum()),
        held=bytes_text(_held(frame, nodes)),
        norm="" if norm is None else number_text(norm),
        now=_now(diagram, frame, item),
        bad=norm is not None and not np.isfinite(norm),
        parameters=int(diagram.parameters_in[item]),
        problem=_problem(diagram, frame, item),
    )


def nodes_of(diagram: Diagram, item: int) -> Ints:
    """The operations in a closed group: they follow one another, but for some of other graphs between them."""
    groups, number = diagram.structure.groups, int(diagram.group[item])
    steps = diagram.trace.nodes.step
    low = int(np.searchsorted(steps, groups.step[number]))
    found: Ints = low + np.flatnonzero(diagram.item_of_node[low : diagram.last_node[item] + 1] == item)
    return found


def _held(frame: Frame, nodes: Ints) -> int:
    """Bytes of the buffers that the operations hold, every storage counted once."""
    if not len(nodes):
        return 0
    saved = frame.trace.saved
    low, high = np.searchsorted(saved.node, [nodes[0], nodes[-1] + 1])
    mine = np.zeros(int(nodes[-1] - nodes[0]) + 1, bool)
    mine[nodes - nodes[0]] = True
    held = mine[saved.node[low:high] - nodes[0]]
    held &= (saved.step[low:high] < frame.cursor) & (saved.freed[low:high] >= frame.cursor)
    rows = low + np.flatnonzero(held)
    storages, first = np.unique(saved.storage[rows], return_index=True)
    del storages
    return int(saved.nbytes[rows[first]].sum())


def _left(diagram: Diagram, frame: Frame, item: int) -> float | None:
    """The norm of the gradients that left the group in this call, to what is outside."""
    rows = diagram.rows_into(item)
    flags = frame.input_grad_flag[rows]
    if not flags.any():
        return None
    norms = frame.input_grad_norm[rows[flags > 0]].astype(np.float64)
    return float(np.sqrt(np.square(norms).sum()))


def _now(diagram: Diagram, frame: Frame, item: int) -> str:
    """The current step, if it is in the group: the part of it that it is in, and the operation."""
    node = frame.current_node
    if node < 0 or node >= len(diagram.item_of_node) or diagram.item_of_node[node] != item:
        return ""
    groups, outer = diagram.structure.groups, int(diagram.group[item])
    inner = [each for each in _path(diagram, node, outer) if groups.kind[each] in (RegionKind.ITERATION, GRADIENTS)]
    name = _called(frame, node)
    region = int(frame.trace.nodes.region[node])
    if not inner and region >= 0 and frame.trace.regions.kind[region] == RegionKind.ITERATION:
        return f"{frame.trace.regions.name[region]} · {name}" if region != groups.index[outer] else name
    return f"{groups.title[inner[-1]]} · {name}" if inner else name


def _problem(diagram: Diagram, frame: Frame, item: int) -> str:
    """What is not finite in it, and where it began."""
    trace = frame.trace
    made = diagram.not_finite[trace.tensors.step[diagram.not_finite] < frame.cursor]
    nodes = trace.tensors.producer[made]
    here = np.flatnonzero(diagram.item_of_node[nodes] == item)
    if len(here):
        norm = trace.values.norm[trace.tensors.value[made[here[0]]]]
        return f"{'NaN' if np.isnan(norm) else 'infinity'} in {where_in(diagram, frame, int(nodes[here[0]]))}"
    rows = np.flatnonzero(frame.input_grad_flag == NOT_FINITE)
    nodes = trace.inputs.node[rows]
    here = np.flatnonzero(diagram.item_of_node[nodes] == item)
    if not len(here):
        return ""
    norm = frame.input_grad_norm[rows[here[-1]]]  # the backward pass comes to the last operation first
    word = "NaN" if np.isnan(norm) else "infinite"
    return f"{word} gradient in {where_in(diagram, frame, int(nodes[here[-1]]))}"


def where_in(diagram: Diagram, frame: Frame, node: int) -> str:
    """Where in the closed group around it an operation is: "blocks.3 · LogBackward0"."""
    outer = int(diagram.group[diagram.item_of_node[node]])
    inner = _path(diagram, node, outer)
    title = diagram.structure.groups.title[inner[-1]] if inner else ""
    return f"{title} · {_called(frame, node)}" if title else _called(frame, node)


def _path(diagram: Diagram, node: int, outer: int) -> list[int]:
    """The groups around an operation that are in `outer`, the innermost first."""
    path = diagram.structure.groups.path(int(diagram.structure.groups.of_node[node]))
    return path[: path.index(outer)]


def _called(frame: Frame, node: int) -> str:
    return str(frame.trace.nodes.name[node] or frame.trace.nodes.op[node])


def bytes_text(count: int) -> str:
    """ "1.2 kB", and "" for nothing."""
    if not count:
        return ""
    size = float(count)
    for unit in UNITS:
        if size < 1000 or unit == UNITS[-1]:
            break
        size /= 1000
    return f"{size:.0f} {unit}" if size >= 10 or unit == "B" else f"{size:.1f} {unit}"
