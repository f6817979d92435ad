"""What the inspector says about a tensor, an operation or a group at the cursor, as plain records. Pure; the panel
draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradviz.engine.kernel.expressions import in_line
from gradviz.lists import quantity, size_text
from gradviz.session.groups import nodes_of, title_of
from gradviz.session.inspect.chain_rule import local_derivative
from gradviz.session.state import Selection, State
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.modules import scope_name
from gradviz.trace.table.trace import node_name, place_text
from gradviz.trace.words.explain import operation_title
from gradviz.trace.words.reasons import no_grad_reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradviz.engine.kernel.expressions import Math
    from gradviz.session.inspect.ledger import Bar
    from gradviz.trace.table.frame import Frame
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

    Rows = NDArray[Any]

LONGEST = 300  # characters of a value
BESIDE = 24  # characters of one that has other words beside it
MOST = 12  # operations that are listed
MOST_OF_GROUP = 40
_NOT_RECORDED = "not recorded: made inside of another operation, such as a tangent"
GROUP_KINDS = ("a call of a module", "a call of a function", "a loop", "an iteration")


@dataclass(frozen=True)
class Link:
    """Text that leads to a node or a tensor; with `target` None, plain text."""

    text: str
    target: Selection | None = None


@dataclass(frozen=True)
class Row:
    """One line: a label and a text. `tone` is "", "gradient", "muted", "pending", "stale" or "freed". `written` is the
    content as a formula, to be typeset."""

    label: str
    parts: tuple[Link, ...]
    tone: str = ""
    numbers: tuple[int, str] | None = None  # what its numbers are elements of: a tensor, and "value" or "grad"
    written: Math | None = None

    @property
    def text(self) -> str:
        """The content without links."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True)
class Section:
    """Rows under a heading; the first section has none. `form` is "rows", "boxes" or "formula"."""

    title: str
    rows: tuple[Row, ...]
    form: str = "rows"


@dataclass(frozen=True)
class Inspection:
    """Everything about one thing."""

    title: str
    sections: tuple[Section, ...]
    bars: tuple[Bar, ...] = ()  # what backward calls added to its .grad, for a chart

    def find(self, label: str) -> str:
        """The text of the first row with this label, "" if there is none."""
        rows = (row for section in self.sections for row in section.rows)
        return next((row.text for row in rows if row.label == label), "")


def inspect(state: State, thing: Selection | None) -> Inspection | None:
    """The inspection, None if there is nothing to inspect."""
    if state.trace is None or thing is None:
        return None
    frame = state.trace.frame(state.cursor)
    if thing.kind == "group":
        return inspect_group(frame, thing.index)
    if thing.kind == "node":
        return _node(frame, thing.index)
    return _tensor(frame, thing.index, state)


def row(label: str, text: str, tone: str = "", numbers: tuple[int, str] | None = None) -> Row:
    """A row without links."""
    return Row(label, (Link(text),), tone, numbers)


def value_text(value: Value | None) -> str:
    """A value with its numbers."""
    if value is None:
        return "None"
    is_summary = value.array is None and value.is_known
    return f"{value.text(LONGEST)} · only a summary was kept" if is_summary else value.text(LONGEST)


def _in_short(value: Value) -> str:
    """A value beside other words: a long array is reduced to its shape and range."""
    return value.text(BESIDE)


def node_link(frame: Frame, node: int) -> Link:
    """`MulBackward0 (line 8)`."""
    nodes = frame.trace.nodes
    place = place_text(frame.trace, int(nodes.site[node]))
    name = node_name(frame.trace, node)
    return Link(f"{name} ({place})" if place else name, Selection("node", node))


def tensor_link(frame: Frame, tensor: int) -> Link:
    """The tensor's name."""
    return Link(frame.name(tensor), Selection("tensor", tensor))


def commas(links: list[Link]) -> tuple[Link, ...]:
    """Links separated by commas."""
    result: list[Link] = []
    for link in links:
        result += [Link(", "), link] if result else [link]
    return tuple(result)


# tensors


def _tensor(frame: Frame, tensor: int, state: State) -> Inspection:
    sections = [Section("", tuple(_tensor_rows(frame, tensor)))]
    sections += _three_ways(state, tensor)
    buffer = frame.buffer(tensor)
    if buffer is not None:
        sections.append(Section("Gradient contributions", tuple(_contributions(frame, tensor)), "boxes"))
    has_ledger = len(frame.trace.history("grads", "tensor").before(tensor, frame.cursor)) > 1
    sections += _ledger(frame, tensor) if has_ledger else []
    users, _ = _users(frame, tensor)
    places = [(node, slot) for node in users for slot in _slots(frame, node, tensor)]
    sections += _derivatives(frame, places)
    return Inspection(frame.name(tensor), tuple(sections), _bars(frame, tensor) if has_ledger else ())


def _bars(frame: Frame, tensor: int) -> tuple[Bar, ...]:
    """What each of several backward calls added to its `.grad`."""
    from gradviz.session.inspect.ledger import bars

    found = bars(frame, tensor)
    return found if len(found) > 1 else ()


def _tensor_rows(frame: Frame, tensor: int) -> list[Row]:
    table = frame.trace.tensors
    value = frame.value(tensor)
    rows = [row("value", value_text(value), numbers=(tensor, "value")), *_grad_rows(frame, tensor)]
    rows += [
        row("kind", _kind(frame, tensor)),
        row("shape", f"{list(table.shape[tensor])} · {frame.dtype(tensor)} · {_bytes(value)}"),
        row("version", str(frame.version(tensor))),
    ]
    rows.append(_grad_fn_row(frame, tensor))
    users, others = _users(frame, tensor)
    if users or others:
        links = [node_link(frame, node) for node in users]
        rows.append(Row("used by", commas(links + ([Link(quantity(others, "other"))] if others else []))))
    return rows


def _three_ways(state: State, tensor: int) -> list[Section]:
    """The gradient with its finite differences and symbolic derivative, or the offer to compare them."""
    check = state.check
    if check is not None and check.tensor == tensor and check.trace is state.trace:
        from gradviz.session.inspect.three_ways import derivative, lines

        rows, written = [row(label, text, tone) for label, text, tone in lines(check)], derivative(check)
        shown = [Section("Gradient in three ways", tuple(rows))]
        formula = () if written is None else (Row("", (Link(in_line(written)),), written=written),)
        return [*shown, Section("", formula, "formula")] if formula else shown
    frame = state.trace.frame(state.cursor) if state.trace is not None else None
    if frame is None or frame.grad(tensor) is None or not frame.is_leaf(tensor):
        return []
    return [Section("", (Row("", (Link("Check by differences", Selection("check", tensor)),)),))]


def _users(frame: Frame, tensor: int) -> tuple[list[int], int]:
    """The visible operations that read it, and how many others did: a parameter has one user per iteration."""
    import numpy as np

    users = frame.trace.users_of(tensor)  # ascending, because the edges are in order of creation of the nodes
    users = users[frame.node_created[users] & (np.diff(users, prepend=-1) > 0)]
    shown = users[frame.shown_nodes[users]][:MOST]
    return [int(node) for node in shown], len(users) - len(shown)


def _bytes(value: Value | None) -> str:
    from gradviz.trace.table.values import numpy_dtype

    return size_text(value.numel * numpy_dtype(value.dtype).itemsize) if value is not None else ""


def _kind(frame: Frame, tensor: int) -> str:
    if frame.is_leaf(tensor):
        if not frame.requires_grad(tensor):
            return "constant (requires_grad=False)"
        return "parameter, a leaf" if frame.trace.tensors.is_parameter[tensor] else "leaf, requires_grad=True"
    return "intermediate, retains grad" if frame.retains_grad(tensor) else "intermediate"


def _grad_rows(frame: Frame, tensor: int) -> list[Row]:
    grad, passing, buffer = frame.grad(tensor), frame.passing(tensor), frame.buffer(tensor)
    waits = buffer is not None and not buffer.used and frame.is_leaf(tensor)
    waiting = f" (input buffer {value_text(buffer.total)}{_hooked(frame, tensor)}, waiting)" if buffer and waits else ""
    of = (tensor, "grad")
    rows = [row(".grad", value_text(grad) + waiting, *(("gradient", of) if grad is not None else ("muted",)))]
    if passing is not None:
        stored = " · not stored" if grad is None else ""
        rows.append(row("∇ passing", value_text(passing) + stored, "gradient", of))
    reason = no_grad_reason(frame, tensor)
    if reason:
        rows.append(row("why None", reason, "muted"))
    return rows


def _hooked(frame: Frame, tensor: int) -> str:
    """What hooks have made of the sum in a leaf's input buffer since it was complete."""
    trace = frame.trace
    arrived = trace.history("arrivals", "tensor").last(tensor, frame.cursor)
    row = trace.history("hooks", "tensor").last(tensor, frame.cursor)
    if row < 0 or trace.hooks.step[row] < trace.arrivals.step[arrived] or trace.hooks.kind[row] != "tensor":
        return ""
    after = trace.value(int(trace.hooks.after[row]))
    return f", of which a hook made {value_text(after)}" if trace.hooks.before[row] != trace.hooks.after[row] else ""


def _grad_fn_row(frame: Frame, tensor: int) -> Row:
    producer = int(frame.trace.tensors.producer[tensor])
    if producer >= 0 and not frame.is_leaf(tensor) and str(frame.trace.nodes.name[producer]):
        return Row("grad_fn", (node_link(frame, producer),))
    if frame.requires_grad(tensor):
        return row("grad_fn", "None → AccumulateGrad")
    if producer >= 0:
        return Row("made by", (node_link(frame, producer), Link(", not tracked")))
    return row("grad_fn", "None")


def _contributions(frame: Frame, tensor: int) -> list[Row]:
    buffer = frame.buffer(tensor)
    assert buffer is not None
    rows: list[Row] = []
    senders = {sender for sender, _ in buffer.contributions}
    earlier = max(0, len(buffer.contributions) - MOST)
    if earlier:
        rows.append(row(f"{earlier:,} earlier", "arrived before these", "muted"))
    for sender, value in buffer.contributions[earlier:]:
        link = node_link(frame, sender) if sender >= 0 else Link("backward() starts here")
        rows.append(Row(_signed(value), (link,), "gradient"))
    shown, _ = _users(frame, tensor)
    coming = [node for node in shown if node not in senders]
    for node in coming[: buffer.expected - buffer.arrived]:
        rows.append(Row("pending", (node_link(frame, node),), "pending"))
    if buffer.expected > 1:
        rows.append(row(f"Σ {_in_short(buffer.total)}", f"{buffer.arrived} of {buffer.expected} arrived", "gradient"))
    return rows


def _ledger(frame: Frame, tensor: int) -> list[Section]:
    """The gradients that `.grad` is the sum of, if there are several, and what cleared it."""
    from gradviz.session.inspect.ledger import ledger, since_cleared

    shown = ledger(frame, tensor, MOST)
    held = since_cleared(shown)
    earlier = len(frame.trace.history("grads", "tensor").before(tensor, frame.cursor)) - len(shown)
    rows = [row(f"{earlier:,} earlier", "before these", "muted")] if earlier else []
    for entry in shown:
        where = f"step {entry.step}" + (f", line {entry.line}" if entry.line > 0 else "")
        if entry.kind == "added":
            is_left = entry in held[:-1]
            what = "left from an earlier backward()" if is_left else "backward()"
            gone = "" if entry in held else " · cleared since"
            rows.append(row(_signed(entry.value), f"{what} · {where}{gone}", "gradient" if not gone else "muted"))
        else:
            what = "left by iterations that were not recorded" if entry.kind == "gap" else entry.kind
            rows.append(row(_short(entry.value), f"{what} · {where}", "muted"))
    rows.append(row(f".grad {_short(frame.grad(tensor))}", "now", "gradient"))
    return [Section("Ledger of .grad", tuple(rows), "boxes")]


def _signed(value: Value | None) -> str:
    """The amount added: "+ 7." or "− 7."."""
    text = _short(value)
    return f"− {text[1:]}" if text.startswith("-") else f"+ {text}"


def _short(value: Value | None) -> str:
    return "None" if value is None else _in_short(value)


# operations


def _node(frame: Frame, node: int) -> Inspection:
    trace = frame.trace
    nodes = trace.nodes
    name = node_name(frame.trace, node)
    rows = [
        row("operation", _operation(frame, node)),
        row("code", " · ".join(filter(None, (str(nodes.source[node]), place_text(trace, int(nodes.site[node])))))),
    ]
    if nodes.scope[node]:
        rows.append(row("module", scope_name(trace, node)))
    rows.append(Row("inputs", commas([tensor_link(frame, int(one)) for one in trace.inputs_of(node)])))
    rows.append(Row("outputs", commas([tensor_link(frame, int(one)) for one in trace.outputs_of(node)])))
    if nodes.name[node]:
        rows.append(Row("next", commas(_next_functions(frame, node))))
    rows.append(row("backward", _progress(frame, node)))
    step = int(nodes.step[node])
    if step >= 0 and trace.steps.kind[step] == Kind.INPLACE:
        rows.append(row("forward", "wrote into its first input in place"))
    elif not len(trace.outputs_of(node)):
        is_own = nodes.op[node][:1].isupper() and nodes.op[node] != nodes.name[node]  # a function of the snippet
        none = "returned neither a tensor nor a tuple" if is_own else _NOT_RECORDED
        rows.append(row("forward", none, "muted"))
    sections = [Section("", tuple(each for each in rows if each.text))]
    sections += _derivatives(frame, [(node, slot) for slot in trace.slots_of(node)])
    saved = frame.saved(node)
    if saved:
        sections.append(Section("Saved buffers", tuple(_saved_rows(frame, node)), "boxes"))
    return Inspection(name, tuple(sections))


def _operation(frame: Frame, node: int) -> str:
    """`pow xⁿ · exponent=2`."""
    called, params = operation_title(frame.trace, node), str(frame.trace.nodes.params[node])
    return f"{called} · {params}" if params else called


def _next_functions(frame: Frame, node: int) -> list[Link]:
    """Where backward continues, as in `grad_fn.next_functions`."""
    links = []
    for tensor in map(int, frame.trace.inputs_of(node)):
        producer = int(frame.trace.tensors.producer[tensor])
        if not frame.requires_grad(tensor):
            links.append(Link("None"))
        elif producer >= 0 and not frame.is_leaf(tensor):
            links.append(node_link(frame, producer))
        else:
            links.append(Link(f"AccumulateGrad ({frame.name(tensor)})", Selection("tensor", tensor)))
    return links


def _progress(frame: Frame, node: int) -> str:
    if not str(frame.trace.nodes.name[node]):
        return "not tracked: " + _untracked(frame, node)
    calls, call = frame.trace.calls, frame.call
    which = "this" if call >= 0 and not 0 <= calls.end[call] < frame.cursor - 1 else "the last"
    if frame.node_ran[node]:
        return f"has run in {which} backward call"
    steps = frame.trace.steps
    if which != "this" and ((steps.node[: frame.cursor] == node) & (steps.kind[: frame.cursor] == Kind.BACKWARD)).any():
        return "has run in an earlier backward call"
    is_later = frame.call >= 0 and frame.trace.calls.step[frame.call] < frame.trace.nodes.step[node]
    if is_later and frame.trace.nodes.call[node] < 0:
        return "made after the last backward call"
    if call < 0:
        return "no backward call yet"
    return "not yet run in this backward call" if which == "this" else "has not run in the last backward call"


def _untracked(frame: Frame, node: int) -> str:
    from gradviz.trace.table.schema import UNTRACKED

    return UNTRACKED[int(frame.trace.nodes.reason[node])]


def _saved_rows(frame: Frame, node: int) -> list[Row]:
    rows = []
    for buffer in frame.saved(node):
        state = {"held": "held", "freed": f"freed at step {buffer.freed_at}", "stale": "overwritten since"}[
            buffer.state
        ]
        version = f"version {buffer.version_saved}"
        if buffer.state == "stale":
            version += f", now {buffer.version_now}"
        what = tensor_link(frame, buffer.tensor) if buffer.tensor >= 0 else Link("own memory")
        parts = (what, Link(f" · {size_text(buffer.nbytes)} · {version} · {state}"))
        if buffer.is_packed:
            parts = (Link("packed by a hook"), Link(f" · {state}"))
        rows.append(Row(buffer.name, parts, {"held": "", "freed": "freed", "stale": "stale"}[buffer.state]))
    return rows


def _derivatives(frame: Frame, places: list[tuple[int, int]]) -> list[Section]:
    """The section of local derivatives, if there are any."""
    written = [local_derivative(frame, node, slot) for node, slot in places]
    rows = tuple(Row("", (Link(in_line(one)),), written=one) for one in dict.fromkeys(written) if one is not None)
    return [Section("Local derivative" + ("s" if len(rows) > 1 else ""), rows, "formula")] if rows else []


def _slots(frame: Frame, node: int, tensor: int) -> list[int]:
    return [slot for slot, one in frame.trace.slots_of(node).items() if one == tensor]


# groups


def inspect_group(frame: Frame, group: int) -> Inspection:
    """Everything about a group at the frame's cursor."""
    trace = frame.trace
    nodes = nodes_of(trace, group)
    sections = [
        Section("", tuple(_group_rows(frame, group, nodes))),
        Section("Now", tuple(_totals(frame, nodes))),
        Section("Operations", tuple(_listed(frame, nodes))),
    ]
    return Inspection(title_of(trace, group), tuple(section for section in sections if section.rows))


def _group_rows(frame: Frame, group: int, nodes: Rows) -> list[Row]:
    import numpy as np

    trace = frame.trace
    kind = _group_kind(trace, group)
    line = int(trace.calls.line[-2 - group]) if group < -1 else _group_line(trace, group)
    rows = [row("group", f"{kind}, line {line}" if line > 0 else kind)]
    if 0 <= group < len(trace.regions):
        turns = int(((trace.regions.parent == group) & (trace.regions.kind == len(GROUP_KINDS) - 1)).sum())
        if turns:
            rows.append(row("iterations", f"{turns:,}"))
    rows.append(row("operations", f"{len(nodes):,}"))
    used = np.unique(trace.inputs.tensor[np.isin(trace.inputs.node, nodes)])
    parameters = used[trace.tensors.is_parameter[used]]
    if len(parameters):
        count = sum(int(np.prod(trace.tensors.shape[one], dtype=np.int64)) for one in parameters.tolist())
        links = [tensor_link(frame, int(one)) for one in parameters[:MOST_OF_GROUP]]
        more = [Link("…")] if len(parameters) > MOST_OF_GROUP else []
        rows.append(Row(f"{count:,} parameters", commas(links + more)))
    return rows


def _group_kind(trace: Trace, group: int) -> str:
    if group < -1:
        return "the gradients that a backward call made"
    if group >= len(trace.regions):
        return f"{int(trace.runs.count[group - len(trace.regions)])} equal calls, one after the other"
    return GROUP_KINDS[int(trace.regions.kind[group])]


def _group_line(trace: Trace, group: int) -> int:
    if group >= len(trace.regions):
        group = int(trace.runs.first[group - len(trace.regions)])
    site = int(trace.regions.site[group])
    return int(trace.sites.line[site]) if site >= 0 else -1


def _totals(frame: Frame, nodes: Rows) -> list[Row]:
    import numpy as np

    trace = frame.trace
    ran = int(frame.node_created[nodes].sum())
    tracked = nodes[trace.nodes.sequence_nr[nodes] >= 0]
    rows = [row("forward", f"{ran:,} of {len(nodes):,} have run")]
    if frame.call >= 0 and len(tracked):
        went = int(frame.node_ran[tracked].sum())
        rows.append(row("backward", f"{went:,} of {len(tracked):,} have run", "gradient" if went else "muted"))
    saved = trace.saved
    held = np.isin(saved.node, nodes) & (saved.step < frame.cursor) & (saved.freed >= frame.cursor)
    _, first = np.unique(saved.storage[held], return_index=True)
    count = int(saved.nbytes[held][first].sum())
    rows.append(row("saved buffers", f"holds {size_text(count)}" if count else "none held", "" if count else "muted"))
    return rows


def _listed(frame: Frame, nodes: Rows) -> list[Row]:
    rows = [Row("", (node_link(frame, node),)) for node in nodes[:MOST_OF_GROUP].tolist()]
    if len(nodes) > MOST_OF_GROUP:
        rows.append(row("", f"… and {len(nodes) - MOST_OF_GROUP:,} more", "muted"))
    return rows
