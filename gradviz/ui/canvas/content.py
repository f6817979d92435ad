"""The words and numbers on a card, operation or closed group at one moment, as comparable records: a card is repainted
when its content differs. Nothing here paints; `item_painter` and `group_painter` do."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.table.frame import NOT_FINITE
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.trace import node_name
from gradviz.trace.table.values import number_text
from gradviz.trace.words.contributions import kept_name
from gradviz.trace.words.reasons import no_grad_reason
from gradviz.ui.canvas import sizes
from gradviz.ui.canvas.diagram import (
    CONSTANT,
    GROUP,
    OPERATION,
    REFERENCE,
    Diagram,
    card_name,
    meta_text,
    operation_text,
)
from gradviz.ui.canvas.groups import GRADIENTS
from gradviz.ui.canvas.heat import Picture, cells, picture

if TYPE_CHECKING:
    from gradviz.trace.table.frame import Buffer, Frame, SavedBuffer
    from gradviz.trace.table.values import Value
    from gradviz.ui.canvas.diagram import Diagram


# -- closed groups: how much has run, what they hold, what is happening in them


Ints = NDArray[np.int64]
UNITS = ("B", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class GroupContent:
    """A closed group. Of `operations`, `ran` have run forward; of the `tracked` ones, `went` have run backward in this
    call."""

    title: str
    detail: str  # "×50 · t = 0 … 49"
    kind: int  # see `groups`
    operations: int
    ran: int
    tracked: int
    went: int
    held: str  # "1.2 kB", "" for nothing
    norm: str  # of the gradient that left it, or of its parameters'; "" for none
    now: str  # the current step inside it, "t = 17 · MulBackward0"
    bad: bool  # a gradient that left it, or one in its parameters, is not finite
    parameters: int = 0  # elements in the parameters that its operations use
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
    """The operations in a closed group: consecutive, apart from some of other graphs in between."""
    groups, number = diagram.structure.groups, int(diagram.group[item])
    steps = diagram.trace.nodes.step
    low = int(np.searchsorted(steps, groups.step[number]))
    found: Ints = low + np.flatnonzero(diagram.item_of_node[low : diagram.last_node[item] + 1] == item)
    return found


def _held(frame: Frame, nodes: Ints) -> int:
    """Bytes of the buffers that the operations hold, each storage counted once."""
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
    """The norm of the gradients that have left the group in this call."""
    rows = diagram.rows_into(item)
    flags = frame.input_grad_flag[rows]
    if not flags.any():
        return None
    norms = frame.input_grad_norm[rows[flags > 0]].astype(np.float64)
    return float(np.sqrt(np.square(norms).sum()))


def _now(diagram: Diagram, frame: Frame, item: int) -> str:
    """The current step, if it is inside the group: the part of the group it is in, and the operation."""
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
    """What is not finite inside it, and where that began."""
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
    norm = frame.input_grad_norm[rows[here[-1]]]  # the backward pass visits the last operation first
    word = "NaN" if np.isnan(norm) else "infinite"
    return f"{word} gradient in {where_in(diagram, frame, int(nodes[here[-1]]))}"


def where_in(diagram: Diagram, frame: Frame, node: int) -> str:
    """The position of an operation within the closed group around it: "blocks.3 · LogBackward0"."""
    outer = int(diagram.group[diagram.item_of_node[node]])
    inner = _path(diagram, node, outer)
    title = diagram.structure.groups.title[inner[-1]] if inner else ""
    return f"{title} · {_called(frame, node)}" if title else _called(frame, node)


def _path(diagram: Diagram, node: int, outer: int) -> list[int]:
    """The groups around an operation that lie in `outer`, innermost first."""
    path = diagram.structure.groups.path(int(diagram.structure.groups.of_node[node]))
    return path[: path.index(outer)]


def _called(frame: Frame, node: int) -> str:
    return node_name(frame.trace, node)


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


_PLAIN = re.compile(r"-?\d+\.?\d*")
_PARTS = re.compile(r",| at line | by | from ")  # where a note can end sooner
_FEWEST = (  # how a note ends that has no part to leave out, and what it says where there is little room
    ("requires_grad=False", "constant"),
    ("no input requires grad", "not tracked"),
    ("has no gradients", "no gradients"),
    ("made after backward", "made later"),
    ("a constant gradient", "constant"),
)
LONGEST_REASON = 26  # characters that fit on the narrowest card


@dataclass(frozen=True)
class ValueContent:
    """A value as displayed: a number, a grid of numbers over colours, or a picture with a summary beside it."""

    kind: str
    text: str
    picture: Picture | None = None
    cells: tuple[tuple[str, ...], ...] = ()
    summary: tuple[str, ...] = ("", "")  # beside a picture; for a number, its shorter text


@dataclass(frozen=True)
class Badge:
    """The input buffer: its sum, in a long and a short form, and how many gradients have arrived."""

    sums: tuple[str, ...]
    count: str
    complete: bool
    total: str = ""  # of numbers

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Candidate texts, left and right, longest first."""
        brief = self.count.removesuffix(" arrived")
        counts = (self.count, brief) if self.complete else (self.count,)
        return [*((text, count) for text in self.sums for count in counts), (self.sums[-1], brief)]


@dataclass(frozen=True)
class TensorContent:
    """A tensor's card."""

    name: str
    meta: str
    category: int
    value: ValueContent
    label: str  # ".grad" or "∇ passing"; "" without a gradient row
    grad: ValueContent | None
    note: str
    badge: Badge | None
    version: int

    @property
    def metas(self) -> list[str]:
        """What the header says beside the name, longest first: the version goes first, then the dtype."""
        kind, _, shape = self.meta.rpartition(" · ")
        sizes_only = shape.partition(" ")[2]
        ways = [f"v{self.version} · {self.meta}"] if self.version else []
        ways += [self.meta, f"{kind} · {sizes_only}" if kind and sizes_only else sizes_only, kind]
        return [way for way in dict.fromkeys(ways) if way]

    @property
    def notes(self) -> list[str]:
        """The note, longest first: without its last part ("arrives at step 9, not stored", "arrives at step 9"), or in
        the fewest words."""
        ways = [self.note, *(self.note[: found.start()] for found in reversed([*_PARTS.finditer(self.note)]))]
        return [*ways, *(fewest for words, fewest in _FEWEST if self.note.endswith(words))]


@dataclass(frozen=True)
class Tab:
    """A saved buffer: what is kept, named as in the snippet. PyTorch's name for it is in the tooltip."""

    name: str
    state: str  # "held" | "freed" | "stale"
    versions: str = ""


@dataclass(frozen=True)
class OperationContent:
    """An operation."""

    symbol: str
    label: str
    scope: str
    tracked: bool
    ran: bool
    tabs: tuple[Tab, ...]


@dataclass(frozen=True)
class ReferenceContent:
    """A tag that stands for a tensor drawn elsewhere."""

    name: str
    category: int


Content = TensorContent | OperationContent | ReferenceContent | GroupContent


def content(diagram: Diagram, frame: Frame, item: int) -> Content:
    """What an item says at the frame's cursor."""
    index, category = int(diagram.index[item]), int(diagram.category[item])
    if diagram.kind[item] == GROUP:
        return group_content(diagram, frame, item)
    if diagram.kind[item] == OPERATION:
        symbol, label, scope = operation_text(diagram.trace, index)
        symbol = diagram.names[item] or symbol  # a drawing has names of its own
        tracked = bool(diagram.trace.nodes.name[index])
        return OperationContent(symbol, label, scope, tracked, bool(frame.node_ran[index]), tabs_of(frame, index))
    if diagram.kind[item] == REFERENCE:
        return ReferenceContent(card_name(diagram.trace, index, frame.cursor), category)
    return _tensor(diagram, frame, index, category)


def _tensor(diagram: Diagram, frame: Frame, tensor: int, category: int) -> TensorContent:
    shape = sizes.shape_of(diagram.trace.tensors.shape[tensor], str(diagram.trace.tensors.dtype[tensor]))
    label, grad, note = _gradient(frame, tensor, category, shape)
    return TensorContent(
        name=card_name(diagram.trace, tensor, frame.cursor),
        meta=meta_text(diagram.trace, tensor, category, frame.dtype(tensor)),
        category=category,
        value=value_content(frame.value(tensor), shape),
        label=label,
        grad=grad,
        note=note,
        badge=_badge(frame.buffer(tensor)),
        version=frame.version(tensor),
    )


def _gradient(frame: Frame, tensor: int, category: int, shape: sizes.Shape) -> tuple[str, ValueContent | None, str]:
    """Label, gradient and note of the gradient row."""
    stored = frame.grad(tensor)
    if stored is not None:
        return ".grad", value_content(stored, shape), "" if frame.is_leaf(tensor) else "stored by retain_grad()"
    if category == CONSTANT:
        return "", None, short_reason(no_grad_reason(frame, tensor))
    passing = frame.passing(tensor)
    if passing is not None and not frame.retains_grad(tensor):
        return "∇ passing", value_content(passing, shape), "not stored"
    if frame.call < 0:
        return ".grad", ValueContent("number", "None"), ""
    note = short_reason(no_grad_reason(frame, tensor))
    if note.endswith("not stored"):  # the gradient will only pass through, `.grad` stays None
        return "∇", ValueContent("number", "–"), note
    return ".grad", ValueContent("number", "None"), note


SHORTER = (  # how a reason begins, what the card says, and whether the rest follows
    ("computed inside no_grad", "inside no_grad", True),
    (".grad is written at ", "written at ", True),
    ("it was set to None", "set to None", True),
    ("none of the inputs of ", "no input requires grad", False),
    ("not among the inputs", "not asked for", False),
    ("made after the last backward", "made after backward", False),
    ("made during the last backward", "made during backward", False),
    ("backward() has not run yet", "", False),
    ("the gradient is in its input buffer", "in its input buffer", False),
    ("the error stopped", "stopped by the error", False),
    ("not a leaf", "not a leaf", False),
    ("a .grad has no history", "a .grad: no history", False),
    ("a gradient that does not depend", "a constant gradient", False),
    ("a gradient that was computed", "no create_graph=True", False),
    ("the result of ", "not differentiable", False),
)


def short_reason(reason: str | None) -> str:
    """Why there is no gradient, in the few words that fit on a card; the tooltip has the full reason."""
    if not reason:
        return ""
    for long, short, rest in SHORTER:
        if reason.startswith(long):
            return short + reason.removeprefix(long) if rest else short
    if reason.startswith(("computed from ", "none of the leaves")):
        return "no input requires grad"
    if reason.startswith("not reached from ") and len(reason.split(": ")[0]) > LONGEST_REASON:
        return "not reached by backward"
    if reason.startswith("its gradient arrives"):
        return reason.removeprefix("its gradient ").split(", and")[0].replace(", but is", ",")
    if "only floating point" in reason:
        return f"{reason.split(':')[0]} has no gradients"
    if " gradients have arrived" in reason:
        return reason.split(" in ")[0].replace(" gradients have", "")
    return reason.split(":")[0]


def value_content(value: Value | None, shape: sizes.Shape) -> ValueContent:
    """A value as shown on a card."""
    if value is None:
        return ValueContent("number", "None")
    if not value.numel:
        return ValueContent("number", "[]", summary=("[]", ""))
    if value.scalar is not None:  # its shape is in the header
        return ValueContent("number", number_text(value.scalar), summary=(number_text(value.scalar), ""))
    if shape.kind == "grid" and value.array is not None and value.array.size == shape.rows * shape.columns:
        rows = value.array.reshape(shape.rows, shape.columns)
        texts = tuple(tuple(cell_text(number) for number in row) for row in rows.tolist())
        return ValueContent("grid", value.text(), cells(rows), texts)
    if not value.is_known:
        return ValueContent("number", "not kept", summary=(" × ".join(map(str, value.shape)), ""))
    found = value.summary
    low, high = number_text(found.low), number_text(found.high)
    if value.dtype.startswith("complex"):  # they have no order, but their magnitudes have
        low, high = f"|{low}|", f"|{high}|"
    summary: tuple[str, ...] = (f"all {high}",) if found.low == found.high else (f"max {high}", f"min {low}")
    if found.nans:
        summary = (f"{found.nans} × NaN", *(summary if found.nans < value.numel else ()))
    return ValueContent("map", value.text(), picture(value.edges), (), summary)


def cell_text(number: complex | float | int | bool) -> str:
    """A number for a cell of a grid: at most six characters, or twelve if it is complex and has so short a form."""
    if isinstance(number, bool):
        return str(number)
    is_complex = isinstance(number, complex)
    ways = [number_text(number, digits) for digits in (4, 3, 2, 1)]
    last = ways[-1] if is_complex else f"{number:.0e}"
    return next((text for text in ways if len(text) <= (12 if is_complex else 6)), last)


def tabs_of(frame: Frame, node: int) -> tuple[Tab, ...]:
    """What an operation keeps for its backward."""
    return tuple(_tab(frame, node, saved) for saved in frame.saved(node))


def _tab(frame: Frame, node: int, saved: SavedBuffer) -> Tab:
    versions = f"v{saved.version_saved} ≠ v{saved.version_now}" if saved.state == "stale" else ""
    name = card_name(frame.trace, saved.tensor, frame.cursor) if saved.tensor >= 0 else kept_name(frame, node, saved)
    return Tab(name.partition(" (before ")[0], saved.state, versions)


def _badge(buffer: Buffer | None) -> Badge | None:
    """The Σ badge, where more than one gradient arrives."""
    if buffer is None or buffer.expected < 2:
        return None
    numbers = [part.scalar for _, part in buffer.contributions]
    complete = buffer.arrived >= buffer.expected
    total = number_text(buffer.total.scalar) if buffer.total.scalar is not None else ""
    sums = [f"Σ = {total}" if total else f"Σ  norm {number_text(buffer.total.norm)}", "Σ"]
    scalars = [number_text(number) for number in numbers if number is not None]
    if len(scalars) == len(numbers):
        terms = " + ".join(scalars).replace("+ -", "− ")
        sums.insert(0, f"Σ {terms} = {total}" if complete else f"Σ {terms} + …")
    return Badge(tuple(sums), f"{buffer.arrived} of {buffer.expected} arrived", complete, total)


def ticking(before: object, after: object, part: float) -> TensorContent | None:
    """A card whose sum or `.grad` is still counting up to its new value; None if there is no such number."""
    if not (isinstance(before, TensorContent) and isinstance(after, TensorContent)):
        return None
    badge, grad = after.badge, after.grad
    if badge is not None and before.badge is not None:
        total = on_its_way(before.badge.total, badge.total, part)
        badge = replace(badge, sums=(f"Σ {total}", "Σ")) if total else badge
    if grad is not None and before.grad is not None and before.label == after.label == ".grad":
        text = on_its_way(before.grad.text, grad.text, part) if grad.kind == "number" else ""
        grad = replace(grad, text=text, summary=(text, "")) if text else grad
    return None if badge is after.badge and grad is after.grad else replace(after, badge=badge, grad=grad)


def on_its_way(before: str, after: str, part: float) -> str:
    """A number between two others, with as many decimals as the second."""
    if before == after or not (_PLAIN.fullmatch(before) and _PLAIN.fullmatch(after)):
        return ""
    point, digits = after.partition(".")[1:]
    text = f"{float(before) + (float(after) - float(before)) * part:.{len(digits)}f}"
    return text if digits else text + point
