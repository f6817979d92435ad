"""The names of tensors in the snippet at a moment: from bindings, otherwise from the expression that made them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.state import DATA_LOADER
from gradviz.trace.table import bindings, modules, roles
from gradviz.trace.table.calls import OF_VMAP, has_own_text, is_inner
from gradviz.trace.table.kinds import Kind
from gradviz.trace.table.name_text import (
    LONGEST,
    OF_SHAPE,
    Rearranged,
    indexed,
    inner_op,
    is_of_sum,
    is_own_text,
    is_text_of,
    numbered,
    ordinal,
    owned,
    rearranged,
    shortened,
    with_ending,
    written_to,
)
from gradviz.trace.table.roles import MOST_TOLD_APART
from gradviz.trace.table.schema import Names
from gradviz.trace.table.tables import History, ranges

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace


class Naming:
    """Names of tensors for one length of the trace; `of_graph` lists the tensors of each graph."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._end = len(trace)
        self._history = trace.history("names", "tensor")
        self.of_graph = History(trace.graphs.of_tensor, None)
        self.ambiguous = _ambiguous(trace)
        self._all_bound = int(trace.names.step.max(initial=-1)) + 1  # the cursor from which on no name is added
        self._at_end: dict[int, str] = {}  # by tensor, as far as they were asked for
        self._shown: dict[int, str] = {}  # likewise
        self._origins: dict[int, int] = {}
        self._goes_on: dict[int, tuple[int, str]] = {}  # by tensor: what a call made before it, and what is appended
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
        for node, before in bindings.views_written(self._trace).items():
            found[node] = before
        return found

    def all(self, tensor: int, cursor: int) -> tuple[str, ...]:
        """Every name bound so far, in order, without repetition."""
        return tuple(dict.fromkeys(self._trace.names.name[self._history.before(tensor, cursor)].tolist()))

    def name(self, tensor: int, cursor: int) -> str:
        """The best name bound so far, otherwise that of the tensor that this one was made from, with the operation."""
        if cursor < self._all_bound:
            return self._name(tensor, cursor)
        if tensor not in self._at_end:
            self._at_end[tensor] = self._name(tensor, cursor)
        return self._at_end[tensor]

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
            before, step = self._made.get(tensor) or self._made.setdefault(tensor, self._made_of(tensor))
            if before < 0:
                name = shortened(with_ending(own := self._own(tensor), ending))
                is_far = (steps > 1 and _INSIDE.fullmatch(own)) or roles.NUMBER.fullmatch(own) or _BARE.search(name)
                if ending and not is_far and _INSIDE.fullmatch(own):
                    self._goes_on[asked] = tensor, ending
                return shortened(self._own(asked)) if is_far else name
            asked = before if asked == tensor and not step else asked  # what was written to keeps its name
            tensor, ending, steps = before, step + ending, steps + bool(step)
        steps_at = [found.start() for found in _STEP.finditer(ending, 0, len(ending) - LONGEST // 2)]
        return "…" + ending[steps_at[-1] if steps_at else 0 :]

    def shown_at_end(self, tensors: NDArray[np.int64]) -> list[str]:
        """`shown` for many tensors at the end of the trace: only those that may be alike one by one."""
        names, apart = self.names_at_end(tensors), _may_be_told_apart(self, tensors)[tensors]
        for at in np.flatnonzero(apart).tolist():
            names[at] = self.shown(int(tensors[at]), self._end)
        return names

    def shown(self, tensor: int, cursor: int) -> str:
        """The name on screen: like `name`, but tensors of one graph with equal names are distinguished, "h₁" and "h₂",
        "(h * w)₁" and "(h * w)₂"."""
        if cursor < self._all_bound or tensor in self._overwritten_by:
            return self._told_apart(tensor, cursor)
        if tensor not in self._shown:
            self._shown[tensor] = self._told_apart(tensor, cursor)
        return self._shown[tensor]

    def _told_apart(self, tensor: int, cursor: int) -> str:
        name, producer = self.name(tensor, cursor), int(self._trace.tensors.producer[tensor])
        if producer < 0:
            number = _number_of_leaf(self, tensor, name)
            name = numbered(name, number) if number else name
        else:
            same = self._namesakes(_picture(self._trace, tensor, producer)).get(name, {})
            name, same = _with_number(self, tensor, name, cursor, same) if tensor in self._goes_on else (name, same)
            name = numbered(name, same[tensor]) if tensor in same else name
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
            members = roles.made_for(trace, -2 - graph) if graph < -1 else none
            if graph >= 0:
                members = _results_in(trace, graph)
            if len(members) <= MOST_TOLD_APART:
                for tensor, name in zip(members.tolist(), self.names_at_end(members), strict=True):
                    by_name[name].append(tensor)
            leaves = defaultdict[str, list[int]](list)
            for each in _leaves_of(trace, members) if by_name else ():
                if each not in self._overwritten_by:
                    leaves[self.name(each, len(trace))].append(each)
            found = self._same[graph] = {}
            for name, tensors in by_name.items():
                others = leaves.get(name, [])  # one alone has no number
                numbers = _numbered(trace, self._overwritten, sorted(tensors + others * (len(others) > 1)))
                if len(set(numbers.values())) > 1 or others:
                    found[name] = numbers
        return found

    def _bound(self, tensor: int, cursor: int) -> str:
        """The first plain variable that it was bound to, otherwise the first element, otherwise the first local one."""
        if not self._has_name[tensor]:
            return ""
        rows = bindings.known_at(self._trace, tensor, self._history.all(tensor), cursor)
        if not len(rows):
            return ""
        names = self._trace.names
        row = _best(names, rows)
        return owned(str(names.name[row]), str(names.owner[row]), self.ambiguous)

    def _made_of(self, tensor: int) -> tuple[int, str]:
        """The tensor after which an unnamed one is named, and what to append to that name; -1 if there is none."""
        trace = self._trace
        owner, producer = int(trace.tensors.grad_of[tensor]), int(trace.tensors.producer[tensor])
        if owner >= 0:
            return owner, ".grad"
        if producer < 0:
            return -1, ""
        if trace.nodes.call[producer] >= 0 and (held_by := roles.gradient_of(trace, tensor)) >= 0:
            return held_by, ".grad"
        if self._overwritten[producer] >= 0:
            return self._origin(tensor), ""
        inputs, label, op = trace.inputs_of(producer), str(trace.nodes.source[producer]), str(trace.nodes.op[producer])
        if len(inputs) != 1 or trace.nodes.call[producer] >= 0:
            return -1, ""
        if op == "detach":
            return int(inputs[0]), ".data" if ".data" in label else ".detach()"
        if op == "unbind":  # as when `for row in x` iterates over a tensor
            return int(inputs[0]), roles.field(trace, tensor, producer) or "[0]"
        if (op[:1].isupper() and op not in roles.OF_TRANSFORMS) or is_of_sum(op, label):  # a function of the snippet
            return -1, ""
        if op in OF_VMAP:
            return int(inputs[0]), roles.ending(trace, tensor, producer)
        if (label and not is_inner(trace, self._overwritten, producer)) or roles.recurrent(trace, tensor):
            return -1, ""
        if roles.output(trace, tensor, producer) or roles.of_attention(trace, tensor, producer):
            return -1, ""
        shape = trace.tensors.shape
        if op in OF_SHAPE and math.prod(shape[inputs[0]]) == math.prod(shape[tensor]):
            return _reshaped(self, tensor, producer, int(inputs[0]))
        return int(inputs[0]), roles.ending(trace, tensor, producer)

    def _own(self, tensor: int) -> str:
        """The name of a tensor that is not named after another one."""
        trace, producer = self._trace, int(self._trace.tensors.producer[tensor])
        if producer < 0:
            return roles.leaf(trace, tensor)
        op, scope, label = (str(column[producer]) for column in (trace.nodes.op, trace.nodes.scope, trace.nodes.source))
        label = written_to(label, bindings.bound_names(trace))
        if op == "as_strided" and trace.nodes.op[producer - 1] == "index_put":  # of all of it, not of a view
            label = indexed(label)
        if trace.nodes.call[producer] >= 0:  # made by a backward pass: the source text is that of the call
            within = _of_gradient(trace, producer)
            if within or trace.calls.create_graph[trace.nodes.call[producer]]:
                return f"{inner_op(op)}{f' in {within}' if within else ''}"
            return f"recomputed {inner_op(op)}"  # by a checkpoint
        if op == "_to_copy" and (copied := roles.copied(trace, tensor, label)):
            return copied
        field = roles.field(trace, tensor, producer)
        if scope == DATA_LOADER and label.startswith("for "):
            return "batch"
        has_text = label and (is_own_text(op, label) or not is_inner(trace, self._overwritten, producer))
        if has_text and op.endswith("_ex") and field == "[0]":  # of which the call returns only this
            return label
        if has_text and (not field.startswith("[") or is_text_of(op, label)):
            return label + field
        if role := roles.recurrent(trace, tensor) or roles.output(trace, tensor, producer):
            return role
        if role := roles.of_attention(trace, tensor, producer) or "partial sum" * is_of_sum(op, label):
            return role
        scope = modules.maker(trace, producer)
        if scope and field and (part := roles.part(trace, tensor, producer)):
            return f"{part} of {scope}"
        short = f"loss{'es' * bool(trace.tensors.shape[tensor])}" if op.endswith("_loss") and scope else inner_op(op)
        scope = scope or (label if op in _PRODUCTS else "")  # "mm in v @ J", which is reshaped to a vector
        if short == scope:  # torch.baddbmm(a, b, c, out=d)
            return f"result{field} of {scope}"
        return f"{short}{field} in {scope}" if scope else short + field

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


def _ambiguous(trace: Trace) -> set[str]:
    """Names of parameters that several modules use for different tensors."""
    names = trace.names
    first: dict[str, int] = {}
    found = set()
    rows = np.flatnonzero(names.owner != "")
    for name, tensor in zip(names.name[rows].tolist(), names.tensor[rows].tolist(), strict=True):
        if first.setdefault(name, tensor) != tensor:
            found.add(name)
    return found


def _with_number(
    naming: Naming, tensor: int, name: str, cursor: int, same: dict[int, int]
) -> tuple[str, dict[int, int]]:
    """A name that goes on from one with a number, "(sub₁ in log_prob).pow(2)", and the numbers of those of the `same`
    name that go on from the same tensor."""
    before, ending = naming._goes_on[tensor]
    if name != shortened(with_ending(naming._own(before), ending)):  # it has got one of its own since
        return name, same
    others = [each for each in same if naming._goes_on.get(each, (-1, ""))[0] == before]
    numbers = {each: number for number, each in enumerate(others, 1)} if len(others) > 1 else {}
    return shortened(with_ending(naming.shown(before, cursor), ending)), numbers


def call_around(naming: Naming, node: int) -> str:
    """The call in whose course an operation ran, "F.cross_entropy(logits, y)", if it did not make its result."""
    label = str(naming._trace.nodes.source[node])
    is_text = is_text_of(str(naming._trace.nodes.op[node]), label)
    return shortened(label) if label and not is_text and is_inner(naming._trace, naming._overwritten, node) else ""


def _best(names: Names, rows: NDArray[np.int64]) -> int:
    """The first of the names with the lowest rank; of those that one module gives, the last: what was put elsewhere in
    it, or replaced, has its former name no longer."""
    rank = names.rank[rows]
    best: list[int] = rows[rank == rank.min()].tolist()
    owner = str(names.owner[best[0]])  # one by one: NumPy compares texts without the zeros at their ends
    return [each for each in best if names.owner[each] == owner][-1] if owner else best[0]


def _plain_names(naming: Naming, asked: NDArray[np.int64]) -> list[str | None]:
    """The names that `Naming.name` gives these tensors at the end of the trace, if they are variables or the texts of
    expressions, as in nearly all cases: computed for all at once. None if it has to be looked up."""
    trace = naming._trace
    tensors, nodes, names = trace.tensors, trace.nodes, trace.names
    producer, owner = tensors.producer[asked], tensors.grad_of[asked]
    made = np.flatnonzero(producer >= 0)
    made = made[nodes.call[producer[made]] < 0]
    found = np.full(len(asked), None, object)
    plain = made[has_own_text(trace, naming._overwritten, producer[made]) & (owner[made] < 0)]
    bound = bindings.bound_names(trace)
    found[plain] = [written_to(text, bound) for text in nodes.source[producer[plain]].tolist()]
    place = np.full(len(tensors), -1, np.int64)
    place[asked[producer < 0]], place[asked[made]] = np.flatnonzero(producer < 0), made
    rows = np.flatnonzero(place[names.tensor] >= 0)
    rows = rows[(tensors.producer[names.tensor[rows]] < 0) | (names.step[rows] < len(trace))]
    rows = rows[np.lexsort((names.rank[rows], names.tensor[rows]))]
    begins = np.flatnonzero(np.diff(names.tensor[rows], prepend=-1) > 0)
    every, rows, ends = rows, rows[begins], np.append(begins[1:], len(rows))
    second = every[np.minimum(begins + 1, ends - 1)]
    again = (second != rows) & (names.rank[second] == names.rank[rows]) & (names.owner[rows] != "")
    for at in np.flatnonzero(again).tolist():
        rows[at] = _best(names, every[begins[at] : ends[at]])
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
    """The leaves of one graph that are written with the same words as this one, in order; none if it is a number."""
    trace, users = naming._trace, naming._trace.users_of(tensor)
    if not len(users):
        return [] if naming._has_name[tensor] else roles.unused_beside(trace, tensor)
    graph, end = int(trace.graph_of_node[users[0]]), len(trace)
    found = naming._leaves.get(graph)
    if found is None:
        found = naming._leaves.setdefault(graph, defaultdict(list))
        used = np.unique(trace.inputs.tensor[_rows_read_in(trace, graph)])
        used = used[(used >= 0) & (trace.tensors.producer[used] < 0)]
        for each in used[:MOST_TOLD_APART].tolist():
            found[naming.name(each, end)].append(each)
    name = naming.name(tensor, end)
    return [] if roles.NUMBER.fullmatch(name) else found[name]


def _number_of_leaf(naming: Naming, tensor: int, name: str) -> int:
    """The number of a leaf among the leaves and results of a picture that are written alike; 0 if it has none."""
    trace = naming._trace
    first = trace.users_of(tensor)[:1].tolist()
    made = trace.outputs_of(first[0])[:1].tolist() if first else []
    same = naming._namesakes(_picture_of(trace, made[0])).get(name, {}) if made else {}
    alike = [] if tensor in same else _leaves_alike(naming, tensor)
    return same.get(tensor, alike.index(tensor) + 1 if len(alike) > 1 else 0)


def _may_be_told_apart(naming: Naming, tensors: NDArray[np.int64]) -> NDArray[np.bool_]:
    """By tensor, for at least those asked for: whether `shown` may add something to its name."""
    trace = naming._trace
    producer, graph, inputs = trace.tensors.producer, _pictures(trace), trace.inputs
    found = np.append(trace.nodes.call >= 0, False)[producer]
    found[list(naming._overwritten_by)] = True
    found[list(naming._goes_on)] = True
    found |= producer < 0
    count = np.bincount(graph[graph >= 0], minlength=len(trace.graphs) + 1)
    asked = np.zeros(len(count), bool)
    asked[graph[tensors]] = True
    member = np.flatnonzero((asked & (count <= MOST_TOLD_APART))[graph] & (graph >= 0))
    of_maker = np.full(len(trace.nodes), -1, np.int64)
    of_maker[producer[member]] = graph[member]
    reads_leaf = (of_maker[inputs.node] >= 0) & (inputs.tensor >= 0)
    reads_leaf &= (producer[inputs.tensor] < 0) | (graph[inputs.tensor] != of_maker[inputs.node])  # or a foreign result
    found[inputs.tensor[reads_leaf & (producer[inputs.tensor] >= 0)]] = True
    numbers: dict[str, int] = {}
    leaves = inputs.tensor[reads_leaf]
    name = [numbers.setdefault(each, len(numbers)) for each in naming.names_at_end(member)]
    leaf = [numbers.setdefault(each, len(numbers)) for each in naming.names_at_end(leaves)]
    keys = graph[member] * len(numbers) + np.array(name, np.int64)
    of_leaves = of_maker[inputs.node[reads_leaf]] * len(numbers) + np.array(leaf, np.int64)
    _, which, often = np.unique(keys, return_inverse=True, return_counts=True)
    found[member[(often[which] > 1) | np.isin(keys, of_leaves)]] = True
    return found


_PRODUCTS = ("mm", "bmm")

# --- what is seen together with a graph, so that its names have to differ from those of the graph: the untracked
# results that lead to it, or are made of its own


def _pictures(trace: Trace) -> NDArray[np.int64]:
    """By tensor: the graph in whose picture it is seen, unless another one reads it alone; -1 for leaves."""
    return _joined(trace)[trace.graphs.of_tensor]


def _picture_of(trace: Trace, tensor: int) -> int:
    """The graph in whose picture a result is seen: for one that is not tracked, where it is used."""
    graph, used_in = int(trace.graphs.of_tensor[tensor]), trace.graph_of_node[trace.users_of(tensor)]
    joined = int(_joined(trace)[graph])
    return int(used_in[0]) if len(used_in) and joined != graph and graph not in used_in else joined


def _results_in(trace: Trace, graph: int) -> NDArray[np.int64]:
    """The results in the picture of a graph, in order."""
    of_tensor, producer = trace.graphs.of_tensor, trace.tensors.producer
    results = trace.kept("results of pictures", lambda: History(_pictures(trace), None)).all(graph)
    read = np.unique(trace.inputs.tensor[_rows_read_in(trace, graph)]).astype(np.int64)
    read = read[read >= 0]
    found: NDArray[np.int64] = np.union1d(results, read[(producer[read] >= 0) & (of_tensor[read] != graph)])
    return found


def _rows_read_in(trace: Trace, graph: int) -> NDArray[np.int64]:
    """The rows of the inputs that the operations of a graph read."""
    return trace.kept("inputs of graphs", lambda: History(trace.graph_of_node[trace.inputs.node], None)).all(graph)


def _joined(trace: Trace) -> NDArray[np.int64]:
    """By graph: itself, or for one of untracked operations the first tracked graph that reads a result of it, otherwise
    the last one of which it reads a result; -1 at the end, for tensors that no graph has."""
    return trace.kept("joined graphs", lambda: _join(trace))


def _join(trace: Trace) -> NDArray[np.int64]:
    graphs, inputs = trace.graphs, trace.inputs
    joined = np.append(np.arange(len(graphs)), -1)
    tracked = np.zeros(len(graphs), bool)
    tracked[graphs.of_node[trace.nodes.name != ""]] = True
    rows = np.flatnonzero(inputs.tensor >= 0)
    source, reader = graphs.of_tensor[inputs.tensor[rows]], graphs.of_node[inputs.node[rows]]
    rows = np.flatnonzero((source >= 0) & (tracked[source] != tracked[reader]))
    leaving = rows[tracked[source[rows]]]
    joined[reader[leaving]] = source[leaving]  # the last one stays
    entering = rows[tracked[reader[rows]]][::-1]
    joined[source[entering]] = reader[entering]  # the first one stays
    return joined


def _numbered(trace: Trace, overwritten: NDArray[np.int64], tensors: list[int]) -> dict[int, int]:
    """Numbers for tensors, the same for all states of one that was written in place."""
    numbers: dict[int, int] = {}
    count = 0
    for tensor in tensors:
        producer = int(trace.tensors.producer[tensor])
        before = int(overwritten[producer]) if producer >= 0 else -1
        count += before not in numbers
        numbers[tensor] = numbers.get(before, count)
    return numbers


def _picture(trace: Trace, tensor: int, producer: int) -> int:
    """The graph in whose picture the name of a result has to be unique; for intermediate results of a tensor's gradient
    that tensor, counted down from -2: those of one call appear beside those of another."""
    if trace.nodes.call[producer] >= 0 and _of_gradient(trace, producer) not in ("", _OF_SEVERAL):
        return -2 - int(trace.roots_of(int(trace.nodes.call[producer]))[0])
    return _picture_of(trace, tensor)


def _of_gradient(trace: Trace, producer: int) -> str:
    """What an intermediate result of a gradient belongs to: "∇y", "∇(a + b)"; "" for several roots."""
    call = int(trace.nodes.call[producer])
    roots = trace.roots_of(call)
    if not trace.calls.create_graph[call] or len(roots) != 1:
        return ""
    root = trace.naming.name(int(roots[0]), len(trace))
    if _INSIDE.fullmatch(root) or int(roots[0]) in _roots_alike(trace):
        return _OF_SEVERAL
    return f"∇{root}" if root.isidentifier() else f"∇({root})" if len(root) <= _LONGEST_ROOT else _OF_SEVERAL


def _roots_alike(trace: Trace) -> set[int]:
    """The tensors that gradients with graphs start from and that share their name with another one in their picture."""

    def found() -> set[int]:
        calls, roots = trace.calls.create_graph.astype(bool), trace.roots
        alike = defaultdict[tuple[int, str], set[int]](set)
        for root in np.unique(roots.tensor[calls[roots.call]]).tolist():
            if trace.naming._has_name[root]:
                key = _picture_of(trace, root), trace.naming.name(root, len(trace))
                alike[key].add(root)
        return {root for several in alike.values() if len(several) > 1 for root in several}

    return trace.kept("roots that are named alike", found)


def _reshaped(naming: Naming, tensor: int, producer: int, source: int) -> tuple[int, str]:
    """As `_made_of`, where a tensor was only given another shape: all such steps at once."""
    trace, shape = naming._trace, naming._trace.tensors.shape
    if not naming._has_name[source] and source not in naming._made:
        naming._made[source] = naming._made_of(source)
    if role := roles.for_product(trace, tensor, producer):
        before, way = naming._made[source] if not naming._has_name[source] else (source, "")
        maker, site = int(trace.tensors.producer[source]), trace.nodes.site
        is_first = maker < 0 or site[maker] != site[producer]
        if way.startswith(" for "):
            return before, role
        if is_first or not role.startswith(" for "):  # not what a call makes of the product
            return source, role
    step = str(trace.nodes.op[producer]), str(trace.nodes.params[producer]), shape[source], shape[tensor]
    alone = source, rearranged(shape[source])
    first, so_far = alone if naming._has_name[source] else naming._shapes.get(source, alone)
    if (found := so_far.then(*step)) is None:  # what was exchanged is not visible any more
        first, found = source, alone[1].then(*step) or alone[1]
    naming._shapes[tensor] = first, found
    if step[0] == "expand" and step[2] == step[3]:
        return source, roles.ending(trace, tensor, producer)
    if first == source and step[0] in ("squeeze", "unsqueeze"):
        return source, roles.ending(trace, tensor, producer)
    return first, found.text(shape[first], shape[tensor])


_OF_SEVERAL = "the gradient"  # of something without a short name of its own
_LONGEST_ROOT = 20  # characters of an expression whose gradient is named after it
_MOST_STEPS = 3  # inside a module, through which a tensor is named after another one
_BARE = re.compile(r"^\(…\)|… (?:as|for) ")  # which does not say of what
_INSIDE = re.compile(r"\w+ in \S.*")  # "sub in TripletMarginLoss", which is no name of the snippet
_STEP = re.compile(r"\.(?=[^\W\d])|\[")  # where what was done to a tensor begins
