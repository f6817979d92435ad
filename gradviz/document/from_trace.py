"""From a run to a drawing: the graphs that are alive at a step, with every operation as it ran. Loops and function
calls are unrolled, random numbers are written down, modules become groups. What a drawing can't express is left out or
appears as a value, and each such case is reported in a sentence. A single operation is translated by `recorded`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gradviz.document.arranging import arrange
from gradviz.document.drawing import BackwardCall, Drawing, Group, Leaf, Literal, Node, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.recorded import Call, linear, linear_layers, pieces, translate
from gradviz.document.shaping import free_name, identifier, tidy

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace
    from gradviz.trace.table.values import Value

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
        if wanted[inputs.node[row]] and producer[inputs.tensor[row]] >= 0:
            wanted[producer[inputs.tensor[row]]] = True
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
        number = self._number()
        self.nodes.append(Operation(number, call.key, call.inputs, call.params, tuple(names) if called else ()))
        self._refs |= {output: Ref(number, at) for at, output in enumerate(outputs)}
        scope = str(self._trace.nodes.scope[node])
        if scope:
            self._scopes.setdefault(scope, []).append(number)

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
        """Return one group for each module, if there are several."""
        if len(self._scopes) < 2:
            return ()
        return tuple(Group(self._number(), scope, frozenset(members)) for scope, members in self._scopes.items())

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


def _tuples(value: object) -> Literal:
    if isinstance(value, list):
        return tuple(_tuples(each) for each in value)
    assert value is None or isinstance(value, bool | int | float | complex)
    return value
