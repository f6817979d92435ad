"""From a run to a drawing: the graphs that are alive at a step, with every operation as it ran. Loops and function
calls are unrolled, random numbers are written down, modules become groups. What a drawing can't express is left out or
appears as a value, and each such case is reported in a sentence.

Most operations have a function of the same name with the same operands; others have a row here that says how they are
called in a drawing. What has neither can't be drawn."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from gradviz.document.arranging import arrange
from gradviz.document.catalogue import Entry, catalogue
from gradviz.document.drawing import BackwardCall, Drawing, Group, Leaf, Literal, Node, Number, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.literals import PLACE, parameters
from gradviz.document.shaping import free_name, identifier, tidy
from gradviz.trace.table.name_text import tree_of
from gradviz.trace.table.schema import SWITCHED_OFF

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

# --- How a recorded operation is called ---


Params = dict[str, Literal]
OF_OTHER_PLACES = ("{}", "nn.functional.{}", "Tensor.{}", "linalg.{}", "special.{}", "fft.{}")


@dataclass(frozen=True)
class Form:
    """How a recorded operation is written: `ports` are the catalogue's names for its operands in order; `params`
    renames parameters, "" leaves one out; `change` converts them, returning None if it can't be written."""

    key: str
    ports: tuple[str, ...] = ()
    params: Mapping[str, str] = field(default_factory=dict)
    change: Callable[[Params, Trace, int], Params | None] | None = None


@dataclass(frozen=True)
class Call:
    """An operation as in a drawing; its outputs are the recorded ones in order."""

    key: str
    inputs: tuple[Operand, ...]
    params: tuple[tuple[str, Literal], ...]


def _index_of_select(params: Params, trace: Trace, node: int) -> Params | None:
    return {"index": ":, " * _whole(params["dim"]) + str(params["index"])}


def _index_of_slice(params: Params, trace: Trace, node: int) -> Params | None:
    dim = _whole(params["dim"])
    size = trace.tensors.shape[trace.slots_of(node)[0]][dim]
    start, end, step = params.get("start", 0), params.get("end", size), params.get("step", 1)
    stop = "" if isinstance(end, int) and end >= size else str(end)
    part = f"{start or ''}:{stop}" + (f":{step}" if step != 1 else "")
    return {"index": ":, " * dim + part}


def _whole(value: Literal) -> int:
    return value if isinstance(value, int) else 0


def _to_dtype(params: Params, trace: Trace, node: int) -> Params | None:
    return {"dtype": str(trace.tensors.dtype[int(trace.outputs_of(node)[0])])}


def _without_defaults(params: Params, trace: Trace, node: int) -> Params | None:
    """Complete a pooling: without a stride it takes its kernel's size."""
    return {name: value for name, value in params.items() if value != ()}


def _plain_elu(params: Params, trace: Trace, node: int) -> Params | None:
    """Accept only the plain ELU, not its relatives with other scales."""
    return params if params.get("scale") == params.get("input_scale") == 1 else None


def _not_transposed(params: Params, trace: Trace, node: int) -> Params | None:
    return None if params.get("transposed") else {name: params[name] for name in params if name != "transposed"}


_POOL = {"kernel_size": "kernel_size"}
_CONV = ("input", "weight", "bias")
_NORM = ("input", "weight", "bias", "running_mean", "running_var")
FORMS: dict[str, Form] = {
    "rsub": Form("sub", ("other",), {"other": "input"}),
    "rsub_tensor": Form("sub", ("other", "input")),
    "_unsafe_view": Form("reshape", (), {"size": "shape"}),
    "_reshape_alias": Form("reshape", (), {"size": "shape"}),
    "view": Form("Tensor.view", (), {"size": "shape"}),
    **{name: Form("matmul") for name in ("mm", "mv", "bmm", "dot")},  # as a person writes it
    "alias": Form("Tensor.view_as", ("input", "other")),
    "select": Form("Tensor.__getitem__", change=_index_of_select),
    "slice": Form("Tensor.__getitem__", change=_index_of_slice),
    "_to_copy": Form("Tensor.to", change=_to_dtype),
    "linalg_vector_norm": Form("linalg.vector_norm"),
    "native_layer_norm": Form("nn.functional.layer_norm", _CONV),
    "native_group_norm": Form("nn.functional.group_norm", _CONV, {"group": "num_groups"}),
    "elu": Form("nn.functional.elu", (), {"scale": "", "input_scale": ""}, _plain_elu),
    "_scaled_dot_product_flash_attention_for_cpu": Form("nn.functional.scaled_dot_product_attention"),
    "native_batch_norm": Form("nn.functional.batch_norm", _NORM),
    "max_pool2d_with_indices": Form("nn.functional.max_pool2d", (), _POOL, _without_defaults),
    "max_pool3d_with_indices": Form("nn.functional.max_pool3d", (), _POOL, _without_defaults),
    "avg_pool2d": Form("nn.functional.avg_pool2d", (), {}, _without_defaults),
    "avg_pool3d": Form("nn.functional.avg_pool3d", (), {}, _without_defaults),
    "_adaptive_avg_pool2d": Form("nn.functional.adaptive_avg_pool2d"),
    "_adaptive_avg_pool3d": Form("nn.functional.adaptive_avg_pool3d"),
    "embedding": Form("nn.functional.embedding", ("weight", "input"), {"sparse": "", "padding_idx": ""}),
    "constant_pad_nd": Form("nn.functional.pad"),
    "_prelu_kernel": Form(""),  # its weight has a different shape from the one in code
    "log_sigmoid": Form("nn.functional.logsigmoid"),
    "_safe_softmax": Form("nn.functional.softmax"),
    "softmax": Form("nn.functional.softmax"),
    "log_softmax": Form("nn.functional.log_softmax"),
    "_conj": Form("conj"),
    "linalg_inv_ex": Form("linalg.inv"),
    "_linalg_det": Form("linalg.det"),
    "linalg_cholesky_ex": Form("linalg.cholesky"),
    "masked_fill_tensor": Form("masked_fill", ("input", "mask", "value")),
}


def translate(trace: Trace, node: int, operand: Callable[[int], Ref]) -> Call | None:
    """Return a recorded operation as in a drawing; None if it can't be drawn."""
    op = str(trace.nodes.op[node])
    form = OTHERWISE[op](trace, node) if op in OTHERWISE else FORMS.get(op) or _same_name(op)
    entry = catalogue().get(form.key) if form is not None else None
    if form is None or entry is None:
        return None
    params: Params | None = parameters(str(trace.nodes.params[node]))
    if form.change is not None and params is not None:
        params = form.change(params, trace, node)
    if params is None:
        return None
    inputs = _operands(trace, node, entry, form, operand)
    return _call(entry, form, inputs, params) if inputs is not None else None


def _same_name(op: str) -> Form | None:
    known = catalogue()
    plain = op.removesuffix("_")
    names = [place.format(plain) for place in OF_OTHER_PLACES]
    names += [plain.replace("_", ".", 1)] if plain.startswith(("linalg_", "special_", "fft_")) else []
    key = next((name for name in names if name in known), None)
    return None if key is None else Form(key)


def _convolution(trace: Trace, node: int) -> Form | None:
    dims = len(trace.tensors.shape[trace.slots_of(node)[0]]) - 2
    turned = "transposed=True" in str(trace.nodes.params[node])
    if turned:
        return Form(f"nn.functional.conv_transpose{dims}d", _CONV, {"transposed": ""})
    return Form(f"nn.functional.conv{dims}d", _CONV, {"output_padding": ""}, _not_transposed)


def _power(trace: Trace, node: int) -> Form | None:
    return Form("pow", ("exponent",), {"base": "input"}) if "base=" in str(trace.nodes.params[node]) else Form("pow")


OTHERWISE: dict[str, Callable[[Trace, int], Form | None]] = {
    "convolution": _convolution,
    "pow": _power,
}


def pieces(trace: Trace, node: int, operand: Callable[[int], Ref]) -> tuple[Call, ...]:
    """Return an operation that splits a tensor as one call for each of its results, and one that indexes with tensors
    as one call; none for any other operation."""
    index = index_as_given(trace, node)
    if index is not None:
        inputs = (trace.slots_of(node)[0], *index[1])
        return (Call("Tensor.__getitem__", tuple(map(operand, inputs)), (("index", index[0]),)),)
    op, params = str(trace.nodes.op[node]), parameters(str(trace.nodes.params[node]))
    before, sizes = ":, " * _whole(params.get("dim")), params.get("sizes")
    if op == "unbind":
        parts = [str(at) for at in range(len(trace.outputs_of(node)))]
    elif op in ("split", "split_with_sizes") and isinstance(sizes, tuple):
        ends = list(accumulate(map(_whole, sizes), initial=0))
        parts = [f"{low}:{high}" for low, high in pairwise(ends)]
    else:
        return ()
    source = operand(trace.slots_of(node)[0])
    return tuple(Call("Tensor.__getitem__", (source,), (("index", before + part),)) for part in parts)


def index_as_given(trace: Trace, node: int) -> tuple[str, tuple[int, ...]] | None:
    """Return the index of `x[mask]` or `x[:, rows]` and the tensors in its places; None for another operation. The
    operation has only numbers, so the latest tensor before it with these numbers is the one that was given; numbers
    that no tensor has are written down."""
    if trace.nodes.op[node] != "index":
        return None
    slots, at = trace.slots_of(node), parameters(str(trace.nodes.params[node])).get("slots")
    if not isinstance(at, tuple) or sorted(slots) != [0, 1]:
        return None
    dims, numbers = list(map(_whole, at)), trace.value(int(trace.tensors.value[slots[1]]))
    if numbers is None or numbers.array is None or numbers.array.dtype.kind != "i":
        return None
    shape, rows = trace.tensors.shape[slots[0]], numbers.array if len(dims) > 1 else numbers.array[None]
    if len(rows) != len(dims) or not all(0 <= dim < len(shape) and shape[dim] for dim in dims):
        return None
    whole = dims == list(range(dims[0], dims[0] + len(dims)))
    masks = _before(trace, node, "bool", shape[dims[0] : dims[0] + len(dims)]) if whole else ()
    for mask, array in masks:
        if np.array_equal(np.stack(np.nonzero(array)), rows):
            return ":, " * dims[0] + PLACE, (mask,)
    parts, tensors = [":"] * (dims[-1] + 1), []
    for dim, row in zip(dims, rows, strict=True):
        same = (at for at, one in _before(trace, node, "int64", row.shape) if np.array_equal(one % shape[dim], row))
        tensor = next(same, slots[1] if len(dims) == 1 else -1)
        parts[dim] = PLACE if tensor >= 0 else str(row.tolist())
        tensors += [tensor] if tensor >= 0 else []
    return ", ".join(parts), tuple(tensors)


def _before(trace: Trace, node: int, dtype: str, shape: tuple[int, ...]) -> Iterator[tuple[int, np.ndarray]]:
    """The tensors of this kind that were there before an operation, with their numbers: computed ones first, the latest
    of them first; not those that were written to."""
    tensors = trace.tensors
    there = (np.asarray(tensors.dtype) == dtype) & (np.asarray(tensors.step) <= trace.nodes.step[node])
    computed = np.asarray(tensors.producer) >= 0
    found = (np.flatnonzero(there & computed)[::-1], np.flatnonzero(there & ~computed))
    for tensor in np.concatenate(found).tolist():
        value = trace.value(int(tensors.value[tensor])) if tensors.shape[tensor] == shape else None
        if value is not None and value.array is not None and not (trace.writes.tensor == tensor).any():
            yield tensor, value.array


def linear_layers(trace: Trace, nodes: list[int]) -> dict[int, int]:
    """Return the products with a bias whose second matrix is transposed only for them: each is a linear layer, with the
    operation that transposes its weight."""
    uses = np.bincount(trace.inputs.tensor, minlength=len(trace.tensors))
    found = {}
    for node in nodes:
        if trace.nodes.op[node] != "addmm" or trace.nodes.params[node]:
            continue
        bias, _, turned = (trace.slots_of(node).get(slot, -1) for slot in range(3))
        maker = int(trace.tensors.producer[turned]) if turned >= 0 else -1
        if maker >= 0 and trace.nodes.op[maker] == "t" and uses[turned] == 1 and len(trace.tensors.shape[bias]) == 1:
            found[node] = maker
    return found


def linear(trace: Trace, node: int, turned: int, operand: Callable[[int], Ref]) -> Call:
    """Return such a layer as one call."""
    slots = trace.slots_of(node)
    weight = trace.slots_of(turned)[0]
    return Call("nn.functional.linear", tuple(operand(one) for one in (slots[1], weight, slots[0])), ())


def _operands(
    trace: Trace, node: int, entry: Entry, form: Form, operand: Callable[[int], Ref]
) -> dict[str, Operand] | list[Operand] | None:
    """Return the operands by port name; a list for a variadic one."""
    slots = trace.slots_of(node)
    if len(entry.ports) == 1 and entry.ports[0].variadic:
        return [operand(slots[slot]) for slot in sorted(slots)]
    names = form.ports or tuple(port.name for port in entry.ports)
    if any(slot >= len(names) for slot in slots):
        return None
    return {names[slot]: operand(tensor) for slot, tensor in slots.items()}


def _call(entry: Entry, form: Form, inputs: dict[str, Operand] | list[Operand], params: Params) -> Call | None:
    kept: Params = {}
    for name, value in params.items():
        name = form.params.get(name, name)
        port, param = entry.port(name), entry.param(name)
        if not name:
            continue
        if port is not None and port.number and isinstance(inputs, dict) and isinstance(value, int | float | complex):
            inputs[name] = Number(value)
        elif param is None:
            return None
        elif value != param.default or param.required:
            kept[name] = value
    ordered = tuple((param.name, kept[param.name]) for param in entry.params if param.name in kept)
    if any(param.required and param.name not in kept for param in entry.params):
        return None
    if isinstance(inputs, list):
        return Call(entry.key, tuple(inputs), ordered)
    places = tuple(inputs.get(port.name) for port in entry.ports)
    missing = any(place is None and not port.optional for place, port in zip(places, entry.ports, strict=True))
    return None if missing else Call(entry.key, places, ordered)


MOST_NODES = 2_000
MOST_NUMBERS = 4_096  # of one tensor that are written down
FEW = 4  # numbers that are written down even if a factory makes them
TOO_MANY = "This run has {:,} operations, and a drawing can have {:,}; draw a smaller part of it."
UNDRAWABLE = " can't be drawn; its result becomes a constant, and no gradient flows through it."
OWN_DTYPES = ("float32", "int64", "bool")  # the dtypes of written numbers


def from_trace(trace: Trace, cursor: int | None = None) -> tuple[Drawing, tuple[str, ...]]:
    """Return the drawing of what exists at a cursor (by default the end), and how it differs from the run."""
    cursor = len(trace) if cursor is None else cursor
    nodes = _needed(trace, cursor)
    if len(nodes) > MOST_NODES:
        raise UserError(TOO_MANY.format(len(nodes), MOST_NODES))
    made = _Making(trace)
    turned = linear_layers(trace, nodes)
    for node in nodes:
        if node not in turned.values():
            made.add_node(node, turned.get(node, -1))
    if not made.nodes:
        made.add_loose(cursor)
    made.add_calls(set(nodes))
    if len(trace.graphs.first) > 1 and len(nodes) < len(trace.nodes):
        made.notes.insert(0, "Only the graph at this step is drawn; the run also made others.")
    drawing = Drawing(tuple(made.nodes), groups=made.groups(), calls=tuple(made.calls), next_id=made.next_id)
    if drawing.is_blank:
        raise UserError("This run made no tensors, so there is nothing to draw.")
    return arrange(tidy(drawing)), tuple(dict.fromkeys(made.notes))


def _needed(trace: Trace, cursor: int) -> list[int]:
    """Return the operations of the graphs at the cursor and everything that they were computed from, in order; not
    those of a backward call under create_graph."""
    graphs = trace.graphs
    alive = (np.asarray(graphs.first) < cursor) & (np.asarray(graphs.until) >= cursor)
    graph = np.asarray(trace.graph_of_node)
    wanted = np.append(alive, False)[graph] & (trace.nodes.call < 0) & (trace.nodes.step < cursor)
    producer, inputs = trace.tensors.producer, trace.inputs
    for row in range(len(inputs) - 1, -1, -1):
        node = int(inputs.node[row])
        if not wanted[node]:
            continue
        index = index_as_given(trace, node) if not inputs.slot[row] else None
        for tensor in (inputs.tensor[row], *(index[1] if index is not None else ())):
            if producer[tensor] >= 0:
                wanted[producer[tensor]] = True
    found: list[int] = np.flatnonzero(wanted).tolist()
    return found


class _Making:
    """The drawing in progress."""

    def __init__(self, trace: Trace) -> None:
        self.nodes: list[Node] = []
        self.calls: list[BackwardCall] = []
        self.notes: list[str] = []
        self.next_id = 1
        self._trace = trace
        self._refs: dict[int, Ref] = {}  # by tensor
        self._names: set[str] = set()
        self._scopes: dict[str, list[int]] = {}
        self._modes: dict[str, list[int]] = {}  # what ran under no_grad and enable_grad
        self._with_grad = _lines_under("enable_grad", trace.source)
        self._seed = 0
        self._given: dict[int, str] = {}
        names = trace.names
        for at in np.argsort(names.rank, kind="stable").tolist():
            self._given.setdefault(int(names.tensor[at]), str(names.name[at]))

    def _number(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def _name(self, tensor: int) -> str:
        """Return the snippet's name of a tensor, as one unique identifier; "" if it has no name."""
        given = re.sub(r"\W+", "_", self._given.get(tensor, "")).strip("_")
        given = f"layer{given}" if given[:1].isdigit() else given  # "0.weight" of a Sequential
        try:
            name = free_name(identifier(given), self._names)
        except UserError:
            return ""
        self._names.add(name)
        return name

    # operations

    def add_node(self, node: int, turned: int = -1) -> None:
        """Add an operation; if it can't be drawn, its results become values. `turned` is the transposition that makes
        it a linear layer."""
        trace = self._trace
        outputs: list[int] = trace.outputs_of(node).tolist()
        step = int(trace.nodes.step[node])
        if not outputs:
            return  # written to an existing tensor: its users get the numbers
        calls = self._calls(node, turned, partial(self._operand, step=step))
        if len(calls) == 1:
            self._add(calls[0], outputs, node)
        elif calls and len(calls) == len(outputs):
            for output, part in zip(outputs, calls, strict=True):
                self._add(part, [output], node)
        else:
            line = int(trace.nodes.line[node])
            where = f" in line {line}" if line > 0 else ""
            self.notes.append(f"{trace.nodes.op[node]}{where}{UNDRAWABLE}")

    def _calls(self, node: int, turned: int, operand: Callable[[int], Ref]) -> tuple[Call, ...]:
        """Return the operation as one call, or as one for each of its results; none if it can't be drawn."""
        trace = self._trace
        try:
            parts = pieces(trace, node, operand)
            call = linear(trace, node, turned, operand) if turned >= 0 else None
            call = call or (None if parts else translate(trace, node, operand))
        except (LookupError, TypeError, ValueError):  # it lacks the operands or parameters of its name
            return ()
        return parts if call is None else (call,)

    def _add(self, call: Call, outputs: list[int], node: int) -> None:
        names = [self._name(output) for output in outputs]
        called = next(filter(None, names), "")
        for at, name in enumerate(names):
            if called and not name:  # either all of several results have a name, or none
                names[at] = free_name(called, self._names)
                self._names.add(names[at])
        if int(self._trace.nodes.reason[node]) == SWITCHED_OFF:
            self._add_untracked(call, outputs, names)
            return
        number = self._number()
        self.nodes.append(Operation(number, call.key, call.inputs, call.params, tuple(names) if called else ()))
        self._refs |= {output: Ref(number, at) for at, output in enumerate(outputs)}
        scope = str(self._trace.nodes.scope[node])
        if int(self._trace.nodes.line[node]) in self._with_grad:
            self._modes.setdefault("enable_grad", []).append(number)
        elif scope:
            self._scopes.setdefault(scope, []).append(number)

    def _add_untracked(self, call: Call, outputs: list[int], names: list[str]) -> None:
        """Add an operation that ran under no_grad, in a frame: its results are detached."""
        number = self._number()
        self.nodes.append(Operation(number, call.key, call.inputs, call.params))
        inside = self._modes.setdefault("no_grad", [])
        inside.append(number)
        for at, (output, name) in enumerate(zip(outputs, names, strict=True)):
            cut = self._number()
            self.nodes.append(Operation(cut, "detach", (Ref(number, at),), (), (name,) if name else ()))
            inside.append(cut)
            self._refs[output] = Ref(cut)

    def _operand(self, tensor: int, step: int) -> Ref:
        """Return the node of a tensor; if it is not computed, a leaf with the numbers that it had at this step."""
        ref = self._refs.get(tensor)
        if ref is not None and self._written_since(tensor, step):
            self.notes.append(
                f"{self._given.get(tensor, 'A result')} was overwritten; the numbers after it are written."
            )
            ref = None
        if ref is None:
            ref = self._refs[tensor] = self._add_leaf(tensor, step)
        return ref

    def _written_since(self, tensor: int, step: int) -> bool:
        """Whether an operation's result was overwritten before it is used here, outside the graph."""
        trace = self._trace
        if trace.tensors.producer[tensor] < 0:
            return False
        writes = trace.writes
        return bool(((writes.tensor == tensor) & (writes.step < step)).any())

    # leaves

    def add_loose(self, cursor: int) -> None:
        """Add the tensors of a run without operations."""
        for tensor in np.flatnonzero(self._trace.tensors.step < cursor).tolist():
            self._operand(tensor, cursor)

    def _add_leaf(self, tensor: int, step: int) -> Ref:
        trace = self._trace
        value = self._value(tensor, step)
        leaf = Leaf(self._number(), self._name(tensor))
        dtype = str(trace.tensors.dtype[tensor])
        wants = bool(trace.tensors.requires_grad[tensor]) and bool(trace.tensors.is_leaf[tensor])
        maker, data, seed = self._written(value, leaf.name)
        plain = dtype == "float32" or (maker == "tensor" and dtype in OWN_DTYPES)
        leaf = replace(leaf, maker=maker, data=data, seed=seed, dtype="" if plain else dtype, requires_grad=wants)
        self.nodes.append(leaf)
        return Ref(leaf.id)

    def _value(self, tensor: int, step: int) -> Value:
        trace = self._trace
        writes = trace.writes
        rows = np.flatnonzero((writes.tensor == tensor) & (writes.step < step))
        found = trace.value(int(writes.value[rows[-1]] if len(rows) else trace.tensors.value[tensor]))
        assert found is not None
        return found

    def _written(self, value: Value, name: str) -> tuple[str, Literal, int | None]:
        """Return the maker, data and seed of a leaf with these numbers."""
        array = value.array
        if array is not None and array.size > FEW and array.ndim and array.dtype.kind != "c":
            if not array.any():
                return "zeros", value.shape, None
            if (array == 1).all():
                return "ones", value.shape, None
        if array is not None and array.size <= MOST_NUMBERS and 0 not in array.shape:
            short = array.dtype.kind not in "iubc" and array.dtype != np.float64
            wide = array.astype("U32").astype(np.float64) if short else array  # 0.1, not 0.10000000149011612
            return "tensor", _tuples(wide.tolist()), None
        if 0 in value.shape:
            return "zeros", value.shape, None
        if not value.dtype.startswith(("float", "bfloat")):
            raise UserError(
                f"{name or 'A tensor'} has {value.numel:,} numbers, and a drawing can write down {MOST_NUMBERS:,}; "
                "run the snippet with smaller tensors."
            )
        self.notes.append(f"{name or 'A tensor'} has {value.numel:,} numbers; other random ones stand for them.")
        self._seed += 1
        return "randn", value.shape, self._seed

    # the rest

    def groups(self) -> tuple[Group, ...]:
        """Return one group for each module, if there are several, and one each for what ran under no_grad and
        in the lines of an enable_grad."""
        frames = {**(self._scopes if len(self._scopes) > 1 else {}), **self._modes}
        return tuple(Group(self._number(), scope, frozenset(members)) for scope, members in frames.items())

    def add_calls(self, nodes: set[int]) -> None:
        """Add the backward calls that begin at one of these operations."""
        trace = self._trace
        for call in range(len(trace.calls)):
            roots = trace.roots_of(call).tolist()
            inside = [root for root in roots if int(trace.tensors.producer[root]) in nodes and root in self._refs]
            if not inside:
                continue
            if len(roots) > 1:
                self.notes.append("A backward call of several tensors is drawn from the first of them.")
            made = self._call(call, inside[0])
            if made is None:
                self.notes.append(
                    f"The backward call in line {trace.calls.line[call]} can't be drawn and was left out."
                )
            else:
                self.calls.append(made)

    def _wants_grad(self, ref: Ref) -> bool:
        """Whether a gradient can flow from here to a leaf of the drawing."""
        by_id = {node.id: node for node in self.nodes}
        todo, seen = [ref.node], {ref.node}
        while todo:
            node = by_id[todo.pop()]
            if isinstance(node, Leaf):
                if node.requires_grad:
                    return True
                continue
            new = {each.node for each in node.inputs if isinstance(each, Ref)} - seen
            seen |= new
            todo += new
        return False

    def _call(self, call: int, root: int) -> BackwardCall | None:
        """Return the call, None if its tensors or its gradient have changed since."""
        trace = self._trace
        create, retain = bool(trace.calls.create_graph[call]), bool(trace.calls.retain_graph[call])
        row = np.flatnonzero((trace.roots.call == call) & (trace.roots.tensor == root))[0]
        given = trace.value(int(trace.roots.value[row]))
        gradient = None if given is None or given.array is None else _tuples(given.array.tolist())
        wanted = trace.wanted_by(call).tolist()
        leaves = {node.id for node in self.nodes if isinstance(node, Leaf)}
        inputs = tuple(self._refs[one].node for one in wanted if one in self._refs and self._refs[one].node in leaves)
        misfit = given is not None and given.shape != trace.tensors.shape[root]
        if misfit or (wanted and not inputs) or not self._wants_grad(self._refs[root]):
            return None
        if wanted and str(trace.calls.source[call]).find("grad(") >= 0:
            self.notes.append("autograd.grad is drawn as backward(inputs=…), which writes to .grad.")
        return BackwardCall(
            self._refs[root], gradient, None if retain == create else retain, create, inputs if wanted else None
        )


def _lines_under(mode: str, source: str) -> frozenset[int]:
    """Return the lines of code inside `with torch.enable_grad():` or the like."""
    blocks = (
        each
        for each in ast.walk(tree_of(source))
        if isinstance(each, ast.With) and any(ast.unparse(item).endswith(f"{mode}()") for item in each.items)
    )
    return frozenset(line for each in blocks for line in range(each.body[0].lineno, (each.end_lineno or 0) + 1))


def _tuples(value: object) -> Literal:
    if isinstance(value, list):
        return tuple(_tuples(each) for each in value)
    assert value is None or isinstance(value, bool | int | float | complex)
    return value
