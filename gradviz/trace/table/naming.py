"""The names of tensors in the snippet at a moment: from bindings, otherwise from the expression that made them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.state import DATA_LOADER
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import (
    LONGEST,
    OF_SHAPE,
    Rearranged,
    arguments,
    gives_no_tensor,
    is_primary,
    is_text_of,
    makes_object,
    ordinal,
    owned,
    rearranged,
    shortened,
    with_ending,
)
from gradviz.trace.table.regions import RegionKind
from gradviz.trace.table.schema import NEVER
from gradviz.trace.table.tables import History, ranges

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MOST_TOLD_APART = 2_000  # results of a graph


class Naming:
    """Names of tensors for one length of the trace; `of_graph` lists the tensors of each graph."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._end = len(trace)
        self._history = trace.history("names", "tensor")
        self.of_graph = History(trace.graphs.of_tensor, None)
        self.ambiguous = self._find_ambiguous()
        self._at_end: dict[int, str] = {}  # by tensor, as far as they were asked for
        self._origins: dict[int, int] = {}
        self._made: dict[int, tuple[int, str]] = {}
        self._shapes: dict[int, tuple[int, Rearranged]] = {}
        self._same: dict[int, dict[str, dict[int, int]]] = {}
        self._leaves: dict[int, dict[str, list[int]]] = {}
        self._has_name = np.zeros(len(trace.tensors), bool)
        self._has_name[trace.names.tensor] = True
        self._overwritten = self._find_overwritten()
        made = np.zeros(len(trace.nodes), bool)
        made[trace.tensors.producer[trace.tensors.producer >= 0]] = True
        writers = np.flatnonzero((self._overwritten >= 0) & made)
        self._overwritten_by = dict(zip(self._overwritten[writers].tolist(), writers.tolist(), strict=True))

    def _find_ambiguous(self) -> set[str]:
        """Names of parameters that several modules use for different tensors."""
        names = self._trace.names
        first: dict[str, int] = {}
        found = set()
        rows = np.flatnonzero(names.owner != "")
        for name, tensor in zip(names.name[rows].tolist(), names.tensor[rows].tolist(), strict=True):
            if first.setdefault(name, tensor) != tensor:
                found.add(name)
        return found

    def _find_overwritten(self) -> NDArray[np.int64]:
        """By operation: the tensor that it wrote into, -1 if it made a new one."""
        nodes, steps, inputs = self._trace.nodes, self._trace.steps, self._trace.inputs
        first = np.searchsorted(inputs.node, np.arange(len(nodes) + 1))
        in_place = np.zeros(len(nodes), bool)
        done = np.flatnonzero(nodes.step >= 0)
        at = nodes.step[done]
        in_place[done] = (steps.kind[at] == Kind.INPLACE) & (steps.node[at] == done)
        in_place &= first[1:] > first[:-1]
        found = np.full(len(nodes), -1, np.int64)
        found[in_place] = inputs.tensor[first[:-1][in_place]]
        return found

    def all(self, tensor: int, cursor: int) -> tuple[str, ...]:
        """Every name bound so far, in order, without repetition."""
        return tuple(dict.fromkeys(self._trace.names.name[self._history.before(tensor, cursor)].tolist()))

    def name(self, tensor: int, cursor: int) -> str:
        """The best name bound so far, otherwise that of the tensor that this one was made from, with the operation."""
        if cursor < self._end:
            return self._name(tensor, cursor)
        known = self._at_end.get(tensor)
        if known is None:
            known = self._at_end[tensor] = self._name(tensor, cursor)
        return known

    def names_at_end(self, tensors: NDArray[np.int64]) -> list[str]:
        """`name` for many tensors at the end of the trace."""
        new = [tensor for tensor in np.unique(tensors).tolist() if tensor not in self._at_end]
        plain = _plain_names(self, np.array(new, np.int64))
        self._at_end |= {tensor: name for tensor, name in zip(new, plain, strict=True) if name}
        return [self.name(tensor, self._end) for tensor in tensors.tolist()]

    def _name(self, tensor: int, cursor: int) -> str:
        ending, asked, steps = "", tensor, 0
        while len(ending) < 2 * LONGEST:
            bound = self._bound(tensor, cursor)
            if bound:
                return shortened(with_ending(bound, ending))
            if steps == _MOST_STEPS and self._trace.nodes.scope[self._trace.tensors.producer[asked]]:
                return shortened(self._own(asked))
            if tensor not in self._made:
                self._made[tensor] = self._made_of(tensor)
            before, step = self._made[tensor]
            if before < 0:
                return shortened(with_ending(self._own(tensor), ending))
            tensor, ending, steps = before, step + ending, steps + 1
        return "…" + ending[ending.rfind(".", 0, len(ending) - LONGEST // 2) :]

    def shown_at_end(self, tensors: NDArray[np.int64]) -> list[str]:
        """`shown` for many tensors at the end of the trace: only those that may be alike one by one."""
        names, apart = self.names_at_end(tensors), _may_be_told_apart(self, tensors)[tensors]
        for at in np.flatnonzero(apart).tolist():
            names[at] = self.shown(int(tensors[at]), self._end)
        return names

    def shown(self, tensor: int, cursor: int) -> str:
        """The name on screen: like `name`, but tensors of one graph with equal names are distinguished, "h₁" and "h₂",
        "(h * w)₁" and "(h * w)₂"."""
        name, producer = self.name(tensor, cursor), int(self._trace.tensors.producer[tensor])
        if producer < 0:
            alike = _leaves_alike(self, tensor)
            number = str(alike.index(tensor) + 1).translate(_SUBSCRIPTS) if len(alike) > 1 else ""
            plain = not number or is_primary(name)
            return f"{name}{number}" if plain else f"({name}){number}"
        same = self._namesakes(_picture(self._trace, tensor, producer)).get(name, {})
        if tensor in same:
            plain = is_primary(name)
            name = f"{name if plain else f'({name})'}{str(same[tensor]).translate(_SUBSCRIPTS)}"
        after, nodes = self._overwritten_by.get(tensor, -1), self._trace.nodes
        return f"{name} (before {self._time(after)})" if after >= 0 and nodes.step[after] < cursor else name

    def _time(self, writer: int) -> str:
        """ "line 4"; "line 6, 2nd time" if a line writes to the same tensor repeatedly."""
        known: dict[tuple[int, int], dict[int, int]] = self._trace.kept("writers of lines", dict)
        if not known:
            for tensor, node in sorted(self._overwritten_by.items()):
                same = known.setdefault((self._origin(tensor), int(self._trace.nodes.line[node])), {})
                same[node] = len(same) + 1
        line = int(self._trace.nodes.line[writer])
        same = known[self._origin(int(self._overwritten[writer])), line]
        return f"line {line}, {ordinal(same[writer])} time" if len(same) > 1 else f"line {line}"

    def _namesakes(self, graph: int) -> dict[str, dict[int, int]]:
        """The tensors of a graph that share their name, numbered in order, by that name. In a graph with more than
        `MOST_TOLD_APART` results, numbers would be of no use."""
        found = self._same.get(graph)
        if found is None:
            trace, by_name = self._trace, defaultdict[str, list[int]](list)
            none = np.zeros(0, np.int64)
            members = self.of_graph.all(graph) if graph >= 0 else _made_for(trace, -2 - graph) if graph < -1 else none
            if len(members) <= MOST_TOLD_APART:
                for tensor, name in zip(members.tolist(), self.names_at_end(members), strict=True):
                    by_name[name].append(tensor)
            leaves = {self.name(each, len(trace)) for each in _leaves_of(trace, members)} if by_name else set()
            found = self._same[graph] = {
                name: numbers
                for name, tensors in by_name.items()
                if len(set((numbers := _numbered(trace, self._overwritten, tensors)).values())) > 1 or name in leaves
            }
        return found

    def _bound(self, tensor: int, cursor: int) -> str:
        """The first plain variable that it was bound to, otherwise the first element, otherwise the first local one."""
        if not self._has_name[tensor]:
            return ""
        # A leaf has the same name throughout: a parameter is made before its module has a name.
        producer = int(self._trace.tensors.producer[tensor])
        call = int(self._trace.nodes.call[producer]) if producer >= 0 else -1
        if call >= 0 and (end := int(self._trace.calls.end[call])) != NEVER:  # what it returns has its name at once
            cursor = max(cursor, end + 1)
        rows = self._history.all(tensor) if producer < 0 else self._history.before(tensor, cursor)
        if not len(rows):
            return ""
        names = self._trace.names
        row = rows[names.rank[rows].argmin()]
        return owned(str(names.name[row]), str(names.owner[row]), self.ambiguous)

    def _made_of(self, tensor: int) -> tuple[int, str]:
        """The tensor after which an unnamed one is named, and what to append to that name; -1 if there is none."""
        trace = self._trace
        owner, producer = int(trace.tensors.grad_of[tensor]), int(trace.tensors.producer[tensor])
        if owner >= 0:
            return owner, ".grad"
        if producer < 0:
            return -1, ""
        if self._overwritten[producer] >= 0:
            return self._origin(tensor), ""
        inputs, label, op = trace.inputs_of(producer), str(trace.nodes.source[producer]), str(trace.nodes.op[producer])
        if len(inputs) != 1 or trace.nodes.call[producer] >= 0:
            return -1, ""
        if op == "detach":
            return int(inputs[0]), ".data" if ".data" in label else ".detach()"
        if op == "unbind":  # as when `for row in x` iterates over a tensor
            return int(inputs[0]), _field(trace, tensor, producer)
        if (label and not _inner(trace, self._overwritten, producer)) or _output(trace, tensor, producer):
            return -1, ""
        shape = trace.tensors.shape
        if op in OF_SHAPE and math.prod(shape[inputs[0]]) == math.prod(shape[tensor]):
            return _reshaped(self, tensor, producer, int(inputs[0]))
        return int(inputs[0]), _ending(trace, tensor, producer)

    def _own(self, tensor: int) -> str:
        """The name of a tensor that is not named after another one."""
        trace, producer = self._trace, int(self._trace.tensors.producer[tensor])
        if producer < 0:
            return self._leaf(tensor)
        op, scope, label = (str(column[producer]) for column in (trace.nodes.op, trace.nodes.scope, trace.nodes.source))
        if trace.nodes.call[producer] >= 0:  # made by a backward pass: the source text is that of the call
            return _of_gradient(trace, producer) + op
        field = _field(trace, tensor, producer)
        if scope == DATA_LOADER and label.startswith("for "):
            return "batch"
        has_text = label and not _inner(trace, self._overwritten, producer)
        if has_text and (not field.startswith("[") or is_text_of(op, label)):
            return label + field
        if output := _output(trace, tensor, producer):
            return output
        if scope[:1].isdigit() or not scope:
            scope = module_name(self._trace, producer)
        if scope and field and (part := _part(trace, tensor, producer)):
            return f"{part} of {scope}"
        return f"{scope}: {op.lstrip('_')}{field}" if scope else op.lstrip("_") + field

    def _leaf(self, tensor: int) -> str:
        """The name of an unbound leaf: a number that no factory made is its own name."""
        trace = self._trace
        step, label = int(trace.tensors.step[tensor]), str(trace.tensors.label[tensor])
        made = step >= 0 and trace.steps.kind[step] == Kind.LEAF and trace.steps.ref[step] == tensor
        value = trace.value(int(trace.tensors.value[tensor]))
        if trace.tensors.dtype[tensor] in ("int64", "bool") and _SUBSCRIPT.fullmatch(label):
            return f"indices of {label}"
        if not made and value is not None and value.scalar is not None:
            return value.brief()
        if label[:1] in ("[", "{"):  # a list is no tensor
            return f"tensor made in {label}"
        inside = self._inside(tensor) if not made else ""
        return inside or _parameter(trace, tensor, label) or _constant(trace, tensor) or label or f"tensor {tensor}"

    def _inside(self, tensor: int) -> str:
        """What a module made for itself, named after its role: "mask of dropout1", "bn.running_mean"; "" for others."""
        users, trace = self._trace.users_of(tensor), self._trace
        node = int(users[0]) if len(users) else -1
        if node < 0:
            return ""
        op, slots = str(trace.nodes.op[node]), trace.slots_of(node)
        slot = next((at for at, each in slots.items() if each == tensor), -1)
        operand = {3: "running_mean", 4: "running_var"}.get(slot, "") if op == "native_batch_norm" else ""
        if operand:
            weight = self.name(slots[1], len(trace)) if 1 in slots else ""
            owner = weight.removesuffix(".weight") if weight.endswith(".weight") else module_name(trace, node)
            return f"{owner}.{operand}" if owner else ""
        if op != "mul" or slot != 1 or not _is_mask(trace, tensor, node):
            return ""
        same = [each for each in _masks(trace, node) if module_name(trace, each) == module_name(trace, node)]
        number = str(same.index(node) + 1).translate(_SUBSCRIPTS) if len(same) > 1 and node in same else ""
        return f"mask of {module_name(trace, node)}{number}"

    def _origin(self, tensor: int) -> int:
        """What a tensor was before all the in-place operations that gave it its value, or before the last named one."""
        path: list[int] = []
        while tensor not in self._origins:
            producer = int(self._trace.tensors.producer[tensor])
            before = int(self._overwritten[producer]) if producer >= 0 else -1
            if before < 0 or (path and len(self._history.all(tensor))):
                self._origins[tensor] = tensor
                break
            path.append(tensor)
            tensor = before
        origin = self._origins[tensor]
        for each in path:
            self._origins[each] = origin
        return origin


def _plain_names(naming: Naming, asked: NDArray[np.int64]) -> list[str | None]:
    """The names that `Naming.name` gives these tensors at the end of the trace, if they are variables or the texts of
    expressions, as in nearly all cases: computed for all at once. None if it has to be looked up."""
    trace = naming._trace
    tensors, nodes, names = trace.tensors, trace.nodes, trace.names
    producer, owner = tensors.producer[asked], tensors.grad_of[asked]
    made = np.flatnonzero(producer >= 0)
    made = made[nodes.call[producer[made]] < 0]
    found = np.full(len(asked), None, object)
    plain = made[_has_own_text(trace, naming._overwritten, producer[made]) & (owner[made] < 0)]
    found[plain] = nodes.source[producer[plain]]
    place = np.full(len(tensors), -1, np.int64)
    place[asked[producer < 0]], place[asked[made]] = np.flatnonzero(producer < 0), made
    rows = np.flatnonzero(place[names.tensor] >= 0)
    rows = rows[(tensors.producer[names.tensor[rows]] < 0) | (names.step[rows] < len(trace))]
    rows = rows[np.lexsort((names.rank[rows], names.tensor[rows]))]
    rows = rows[np.diff(names.tensor[rows], prepend=-1) > 0]
    found[place[names.tensor[rows]]] = [
        owned(*each, naming.ambiguous) for each in zip(names.name[rows], names.owner[rows], strict=True)
    ]
    is_known = np.array([name is not None for name in found.tolist()], bool)
    grads = np.flatnonzero((owner >= 0) & (place[asked] >= 0) & ~is_known)
    grads = grads[place[owner[grads]] >= 0]
    grads = grads[is_known[place[owner[grads]]]]
    found[grads] = [with_ending(name, ".grad") for name in found[place[owner[grads]]]]
    return [shortened(name) if name else None for name in found.tolist()]


def _leaves_of(trace: Trace, results: NDArray[np.int64]) -> list[int]:
    """The leaves used by the operations that made these tensors."""
    inputs, producer = trace.inputs, trace.tensors.producer
    makers = np.unique(producer[results])
    node, asked = inputs.node, makers.astype(inputs.node.dtype)
    used = np.unique(inputs.tensor[ranges(node.searchsorted(asked), node.searchsorted(asked, "right"))])
    leaves: list[int] = used[(used >= 0) & (producer[used] < 0)].tolist()
    return leaves


def _leaves_alike(naming: Naming, tensor: int) -> list[int]:
    """The unnamed leaves of one graph that are written with the same words as this one, in order; none if it has a name
    of its own or is a number."""
    trace, users = naming._trace, naming._trace.users_of(tensor)
    if naming._has_name[tensor] or not len(users):
        return []
    graph, end = int(trace.graph_of_node[users[0]]), len(trace)
    found = naming._leaves.get(graph)
    if found is None:
        found = naming._leaves.setdefault(graph, defaultdict(list))
        rows = trace.kept("inputs of graphs", lambda: History(trace.graph_of_node[trace.inputs.node], None)).all(graph)
        used = np.unique(trace.inputs.tensor[rows])
        used = used[(used >= 0) & (trace.tensors.producer[used] < 0) & ~naming._has_name[used]]
        for each in used[:MOST_TOLD_APART].tolist():
            found[naming.name(each, end)].append(each)
    name = naming.name(tensor, end)
    return [] if _NUMBER.fullmatch(name) else found[name]


def _may_be_told_apart(naming: Naming, tensors: NDArray[np.int64]) -> NDArray[np.bool_]:
    """By tensor, for at least those asked for: whether `shown` may add something to its name."""
    trace = naming._trace
    producer, graph, inputs = trace.tensors.producer, trace.graphs.of_tensor, trace.inputs
    found = np.append(trace.nodes.call >= 0, False)[producer]
    found[list(naming._overwritten_by)] = True
    found |= (producer < 0) & ~naming._has_name
    count = np.bincount(graph[graph >= 0], minlength=len(trace.graphs) + 1)
    asked = np.zeros(len(count), bool)
    asked[graph[tensors]] = True
    member = np.flatnonzero((asked & (count <= MOST_TOLD_APART))[graph] & (graph >= 0))
    of_maker = np.full(len(trace.nodes), -1, np.int64)
    of_maker[producer[member]] = graph[member]
    reads_leaf = (of_maker[inputs.node] >= 0) & (inputs.tensor >= 0) & (producer[inputs.tensor] < 0)
    numbers: dict[str, int] = {}
    leaves = inputs.tensor[reads_leaf]
    name = [numbers.setdefault(each, len(numbers)) for each in naming.names_at_end(member)]
    leaf = [numbers.setdefault(each, len(numbers)) for each in naming.names_at_end(leaves)]
    keys = graph[member] * len(numbers) + np.array(name, np.int64)
    of_leaves = of_maker[inputs.node[reads_leaf]] * len(numbers) + np.array(leaf, np.int64)
    _, which, often = np.unique(keys, return_inverse=True, return_counts=True)
    found[member[(often[which] > 1) | np.isin(keys, of_leaves)]] = True
    return found


def _has_own_text(trace: Trace, overwritten: NDArray[np.int64], asked: NDArray[np.int64]) -> NDArray[np.bool_]:
    """By operation: whether its only result is certainly named by its text, see `Naming._name`: it is not within a call
    that continues, as in `_inner`, and not one that only passes its input on."""
    nodes, turn = trace.nodes, trace.nesting.turn
    after = np.minimum(asked + 1, len(nodes) - 1)
    goes_on = (nodes.site[after] == nodes.site[asked]) & (nodes.call[after] < 0) & (after > asked)
    goes_on &= turn[nodes.region[after]] == turn[nodes.region[asked]]
    goes_on |= (nodes.op[after] == "detach") & (nodes.site[after] != nodes.site[asked])  # perhaps, further on
    ends = goes_on & (nodes.site[after] == nodes.site[asked]) & (overwritten[after] < 0)
    ends &= np.asarray(nodes.source[after] != nodes.source[asked], bool)
    texts = list(zip(nodes.op[asked].tolist(), nodes.source[asked].tolist(), strict=True))
    named = {(op, text): text != "" and not gives_no_tensor(op, text) for op, text in set(texts)}
    found: NDArray[np.bool_] = (~goes_on | ends) & np.array([named[each] for each in texts], bool)
    found &= (overwritten[asked] < 0) & ~np.isin(nodes.op[asked], ("detach", "unbind"))
    results = np.bincount(trace.tensors.producer[trace.tensors.producer >= 0], minlength=len(nodes))
    found &= results[asked] == 1
    return found


def _inner(trace: Trace, overwritten: NDArray[np.int64], producer: int) -> bool:
    """Whether the call that an operation belongs to continues: then its text is the name of what comes last. An
    argument that was detached before the call has its step at its first use, within the call."""
    nodes, after = trace.nodes, producer + 1
    if gives_no_tensor(str(nodes.op[producer]), str(nodes.source[producer])):
        return True
    while after < len(nodes) and nodes.call[after] < 0:
        if nodes.site[after] != nodes.site[producer]:
            if nodes.op[after] != "detach":
                break
            after += 1
            continue
        if not _same_turn(trace, producer, after):
            return False
        if overwritten[after] < 0:
            return bool(nodes.source[after] == nodes.source[producer])
        after += 1
    return False


def _numbered(trace: Trace, overwritten: NDArray[np.int64], tensors: list[int]) -> dict[int, int]:
    """Numbers for tensors, the same for all states of one that was written in place."""
    numbers: dict[int, int] = {}
    count = 0
    for tensor in tensors:
        before = int(overwritten[trace.tensors.producer[tensor]])
        count += before not in numbers
        numbers[tensor] = numbers.get(before, count)
    return numbers


def _picture(trace: Trace, tensor: int, producer: int) -> int:
    """The graph in which the name of a result has to be unique; for intermediate results of a tensor's gradient that
    tensor, counted down from -2: untracked results appear beside tracked ones, and those of one call beside those of
    another."""
    if trace.nodes.call[producer] >= 0 and _of_gradient(trace, producer) not in ("", _OF_SEVERAL):
        return -2 - int(trace.roots_of(int(trace.nodes.call[producer]))[0])
    return int(trace.graphs.of_tensor[tensor])


def _made_for(trace: Trace, root: int) -> NDArray[np.int64]:
    """The results of the operations of all backward calls that start from a tensor."""
    producer, calls = trace.tensors.producer, trace.roots.call[trace.roots.tensor == root]
    return np.flatnonzero((producer >= 0) & np.isin(trace.nodes.call[producer], calls))


def _of_gradient(trace: Trace, producer: int) -> str:
    """The prefix of the name of an intermediate result of a gradient: "∇y: ", "∇(a + b): "; "" for several roots."""
    call = int(trace.nodes.call[producer])
    roots = trace.roots_of(call)
    if not trace.calls.create_graph[call] or len(roots) != 1:
        return ""
    root = trace.naming.name(int(roots[0]), len(trace))
    return f"∇{root}: " if root.isidentifier() else f"∇({root}): " if len(root) <= _LONGEST_ROOT else _OF_SEVERAL


def _same_turn(trace: Trace, one: int, other: int) -> bool:
    """Whether two operations ran in the same iteration of the loops around them."""
    turn, region = trace.nesting.turn, trace.nodes.region
    return bool(turn[region[one]] == turn[region[other]])


def _reshaped(naming: Naming, tensor: int, producer: int, source: int) -> tuple[int, str]:
    """As `_made_of`, where a tensor was only given another shape: all such steps at once."""
    trace, shape = naming._trace, naming._trace.tensors.shape
    if not naming._has_name[source] and source not in naming._made:
        naming._made[source] = naming._made_of(source)
    step = str(trace.nodes.op[producer]), str(trace.nodes.params[producer]), shape[source], shape[tensor]
    alone = source, rearranged(shape[source])
    first, so_far = alone if naming._has_name[source] else naming._shapes.get(source, alone)
    if (found := so_far.then(*step)) is None:  # what was exchanged is not visible any more
        first, found = source, alone[1].then(*step) or alone[1]
    naming._shapes[tensor] = first, found
    return first, found.text(shape[first], shape[tensor])


def _parameter(trace: Trace, tensor: int, label: str) -> str:
    """A parameter of a module that has no name: "torch.nn.Linear(2, 1).weight"."""
    tensors = trace.tensors
    if not tensors.is_parameter[tensor] or not makes_object(label):
        return ""
    same = np.flatnonzero(tensors.is_parameter & (tensors.label == label)).tolist()
    sites = list(dict.fromkeys(tensors.site[same].tolist()))
    mine = [each for each in same if tensors.site[each] == tensors.site[tensor]]
    number = str(sites.index(int(tensors.site[tensor])) + 1).translate(_SUBSCRIPTS) if len(sites) > 1 else ""
    is_usual = len(mine) <= 2 and len(tensors.shape[mine[-1]]) == 1
    field = ("weight", "bias")[mine.index(tensor)] if is_usual else f"parameters[{mine.index(tensor)}]"
    return f"{label}{number}.{field}"


def _field(trace: Trace, tensor: int, producer: int) -> str:
    """Which of several results: ".values" or ".indices" if an operation returns both under these names, otherwise the
    index, "[1]"; "" if there is only one."""
    if len(outputs := trace.outputs_of(producer).tolist()) < 2:
        return ""
    if len(outputs) == 2 and str(trace.nodes.op[producer]) in _WITH_INDICES:
        return (".values", ".indices")[outputs.index(tensor)]
    return f"[{int(trace.tensors.output_nr[tensor])}]"


def _part(trace: Trace, tensor: int, producer: int) -> str:
    """ "U", "Vh": PyTorch's name for one of several results; "" if it only numbers them."""
    row, at = trace.op_of(producer), int(trace.tensors.output_nr[tensor])
    numbered = row is None or all(each.startswith(_NUMBERED) for each in row.outputs)
    names = _PARTS.get(str(trace.nodes.op[producer]), ()) if row is None or numbered else row.outputs
    return names[at] if at < len(names) else ""


def _constant(trace: Trace, tensor: int) -> str:
    """A tensor that a call made for itself, "condition of HingeEmbeddingLoss"; "" for one of the snippet's."""
    users, tensors, nodes = trace.users_of(tensor), trace.tensors, trace.nodes
    node, label = (int(users[0]) if len(users) else _next_node(trace, tensor)), str(tensors.label[tensor])
    if node < 0 or not label or nodes.source[node] != label or nodes.site[node] != tensors.site[tensor]:
        return ""
    what = "condition" if tensors.dtype[tensor] == "bool" else "constant"
    owner = module_name(trace, node)
    if not owner:
        return ""
    known: dict[tuple[str, str], list[int]] = trace.kept("constants of calls", dict)
    if (what, label) not in known:
        alike = (tensors.producer < 0) & (tensors.label == label) & ((tensors.dtype == "bool") == (what == "condition"))
        known[what, label] = np.flatnonzero(alike).tolist()
    same = known[what, label]
    number = str(same.index(tensor) + 1).translate(_SUBSCRIPTS) if len(same) > 1 and tensor in same else ""
    return f"{what} of {owner}{number}"


def _next_node(trace: Trace, tensor: int) -> int:
    """The operation that ran next after a leaf was made, -1 if none of the next few steps is one."""
    step = int(trace.tensors.step[tensor])
    after = trace.steps.node[step + 1 : step + 9] if step >= 0 else np.empty(0, np.int64)
    return next((node for node in after.tolist() if node >= 0), -1)


def _ending(trace: Trace, tensor: int, producer: int) -> str:
    """What an operation appends to the name of its operand: ".exp()", "[0]" for a step of x[0, j]."""
    op, params = str(trace.nodes.op[producer]), str(trace.nodes.params[producer])
    if op == "select" and (place := _PLACE.fullmatch(params)):
        return f"[{':, ' * int(place[1])}{place[2]}]"
    if op == "expand":
        return f".expand{trace.tensors.shape[tensor]}"
    if op == "slice" and (cut := _CUT.fullmatch(params)):
        return f"[{':, ' * int(cut[1])}{cut[2]}:{cut[3]}]"
    op = op.lstrip("_").removeprefix("linalg_vector_")  # x.norm()
    return f".{op}({arguments(params)}){_field(trace, tensor, producer)}"


def _is_mask(trace: Trace, tensor: int, node: int) -> bool:
    """Whether it is a dropout mask: 0 and one larger number, made in the same call."""
    nodes, label = trace.nodes, str(trace.tensors.label[tensor])
    value = trace.value(int(trace.tensors.value[tensor]))
    if label != str(nodes.source[node]) or value is None:
        return False
    named = "drop" in f"{nodes.scope[node]} {label}".lower()
    return named or (value.summary.low == 0 and value.summary.high > 1)


def _masks(trace: Trace, node: int) -> list[int]:
    """The operations of the same graph that multiply by a mask, the given one included."""
    outputs = trace.outputs_of(node)
    graph = int(trace.graphs.of_tensor[outputs[0]]) if len(outputs) else -1
    if graph < 0:
        return [node]
    makers = np.unique(trace.tensors.producer[trace.naming.of_graph.all(graph)])
    alike = makers[(trace.nodes.op[makers] == "mul") & (trace.nodes.scope[makers] == trace.nodes.scope[node])]
    found = []
    for each in alike.tolist()[:MOST_TOLD_APART]:
        second = trace.slots_of(each).get(1, -1)
        if second >= 0 and trace.tensors.producer[second] < 0 and _is_mask(trace, second, each):
            found.append(each)
    return found


def module_name(trace: Trace, node: int) -> str:
    """The module or function that an operation belongs to, with its name in the snippet."""
    scope, label = str(trace.nodes.scope[node]), str(trace.nodes.source[node])
    called = re.match(r"([\w.]+)\(", label)
    if called and scope[:1].isdigit():  # of a Sequential: "net[3]", also where another function calls it
        owners = trace.kept("owners of names", lambda: set(trace.names.owner.tolist()))
        given = [each for each in re.findall(r"[\w.]+", label) if each in owners] if called[1] not in owners else []
        path = "".join(f"[{each}]" if each.isdigit() else f".{each}" for each in scope.split("."))
        return (given[0] if len(given) == 1 else called[1]) + path
    if scope and not scope[0].isupper():
        return scope
    return called[1].rsplit(".", 1)[-1] if called else scope


def _output(trace: Trace, tensor: int, producer: int) -> str:
    """ "output of net[0]": the result of the last operation in a module, for what follows; "" for everything else."""
    nodes, region = trace.nodes, int(trace.nodes.region[producer])
    if region < 0 or trace.regions.kind[region] != RegionKind.MODULE or trace.tensors.output_nr[tensor] > 0:
        return ""
    is_last = nodes.step[producer] == trace.nesting.last[region]
    module = module_name(trace, producer) if is_last and len(trace.users_of(tensor)) else ""
    is_class = module[:1].isupper() or nodes.scope[producer][:1].isupper()
    return f"output of {module}" if module and not is_class else ""


_PARTS = {"mkldnn_rnn_layer": ("output", "h_n", "c_n")}  # as the documentation of LSTM calls them
_NUMBERED = ("result", "output", "others")  # results that PyTorch gives no names
_OF_SEVERAL = "∇: "  # a gradient of something without a short name
_LONGEST_ROOT = 20  # characters of an expression whose gradient is named after it
_MOST_STEPS = 3  # inside a module, through which a tensor is named after another one
_WITH_INDICES = frozenset("max min sort topk median nanmedian mode kthvalue cummax cummin".split())
_CUT = re.compile(r"dim=(\d+), start=(\d+), end=(\d+), step=1")
_NUMBER = re.compile(r"-?[\d.]+(?:e-?\d+)?|True|False|-?inf|nan")
_PLACE = re.compile(r"dim=(\d+), index=(-?\d+)")
_SUBSCRIPT = re.compile(r"[^\[].*\[.*\]", re.DOTALL)  # "x[[0, 1]]", whose list becomes a tensor
