"""In which order the nodes of a drawing run, and why some can't run yet.

Note [In-place methods] A wire is the value at the time when its reader runs. Everything that reads a tensor, or what
may share its memory, runs before the in-place method that changes it, unless it is connected to that method's result,
directly or through other nodes. What would have to be on both sides, or two methods that change the same memory
without a connection between them, is left out with a sentence that says what to connect. So each node has the value
that it would have if no method changed anything."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gradviz.document.catalogue import Entry, catalogue, outputs
from gradviz.document.code.spelling import by_port, fault
from gradviz.document.drawing import Drawing, Leaf, Node, Number, Operation, Ref, in_place
from gradviz.document.leaf_kinds import FACTORIES

Levels = Mapping[Ref, int]  # by memory: how many of the methods that change it a node comes after


@dataclass
class Order:
    """`nodes` are those that can run, each after its inputs and whatever else it waits for, otherwise in the order of
    the drawing; `left_out` says of the others why they can't. `earlier` are the readers that run before an in-place
    method without a wire to it; `spots` are the nodes that have to run at their own place."""

    nodes: list[Node] = field(default_factory=list)
    left_out: dict[int, str] = field(default_factory=dict)
    earlier: dict[int, set[int]] = field(default_factory=dict)
    spots: set[int] = field(default_factory=set)
    overwritten: dict[Ref, str] = field(default_factory=dict)  # results that a later method changes: its word


def sources(node: Node) -> list[Ref]:
    """Return the wires that end at a node."""
    return [operand for operand in node.inputs if isinstance(operand, Ref)] if isinstance(node, Operation) else []


def word(node: Node) -> str:
    """Return the name of a node in a comment."""
    if isinstance(node, Leaf):
        return node.name
    entry = catalogue().get(node.op)
    return node.names[0] if node.names else entry.name if entry else node.op


def order_of(drawing: Drawing) -> Order:
    """Return the order of a drawing."""
    found = Order()
    memory = _Methods(drawing) if any(map(in_place, drawing.nodes)) else None
    known: dict[Ref, None] = {}
    wires = {node.id: {ref.node for ref in sources(node)} for node in drawing.nodes}
    nodes = drawing.nodes if memory is None else tuple(sorted(drawing.nodes, key=lambda node: node.id))
    for node in _sorted(nodes, wires):  # who of two is left out does not depend on their places in the drawing
        reason = _fault(drawing, node, known, found.left_out) or (memory.fault(node) if memory is not None else "")
        if reason:
            found.left_out[node.id] = reason
            continue
        found.nodes.append(node)
        count = 1 if isinstance(node, Leaf) else len(outputs(catalogue()[node.op], node))
        known.update(dict.fromkeys(Ref(node.id, output) for output in range(count)))
    reached = {node.id for node in found.nodes} | found.left_out.keys()
    for node in drawing.nodes:
        if node.id not in reached:
            found.left_out[node.id] = f"{word(node)} is part of a cycle"
    if memory is not None and memory.methods:
        _with_methods(drawing, found, memory, wires)
    return found


def _sorted(nodes: Sequence[Node], waits_for: Mapping[int, set[int]]) -> Iterator[Node]:
    """Sort each node after those that it waits for, otherwise as they are; without those that are part of a cycle."""
    place = {node.id: at for at, node in enumerate(nodes)}
    waits = {id: len(waits_for[id] & place.keys()) for id in place}
    users: dict[int, list[int]] = {}
    for id in place:
        for source in waits_for[id]:
            users.setdefault(source, []).append(id)
    ready = [at for at, node in enumerate(nodes) if not waits[node.id]]
    while ready:
        node = nodes[heapq.heappop(ready)]
        yield node
        for user in users.get(node.id, ()):
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, place[user])


def _fault(drawing: Drawing, node: Node, known: dict[Ref, None], left_out: Mapping[int, str]) -> str:
    if isinstance(node, Leaf):
        is_known = node.maker == "tensor" or node.maker in FACTORIES
        return "" if is_known else f"{node.name} is made by {node.maker}, which is not known"
    entry = catalogue().get(node.op)
    if entry is None:
        return f"{node.op} is not known"
    for ref in sources(node):
        if ref.node in left_out:
            return f"{entry.name} waits for {word(drawing.by_id[ref.node])}"
    if entry.in_place and node.inputs and isinstance(node.inputs[0], Number):
        return f"{entry.name} needs a tensor that it can change"
    return fault(node, entry, known)


def _with_methods(drawing: Drawing, found: Order, memory: _Methods, wires: Mapping[int, set[int]]) -> None:
    """Sort again, each in-place method after the readers of what it changes; leave out what can't be sorted so."""
    while True:
        found.earlier, found.spots = memory.readers(found.nodes)
        there = {node.id for node in found.nodes}
        waits_for = {id: wires[id] | found.earlier.get(id, set()) for id in there}
        nodes = list(_sorted([node for node in drawing.nodes if node.id in there], waits_for))
        stuck = there - {node.id for node in nodes}
        if not stuck:
            break
        for node in found.nodes:  # those that wait for readers only: each circle has one
            if node.id in stuck and wires[node.id].isdisjoint(stuck):
                found.left_out[node.id] = (
                    f"{entry_name(node)} would run both before and after others: let it change a clone"
                )
        kept = []
        for node in found.nodes:
            lost = next((id for id in wires[node.id] if id in found.left_out), 0)
            if lost and node.id not in found.left_out:
                found.left_out[node.id] = f"{entry_name(node)} waits for {word(drawing.by_id[lost])}"
            if node.id not in found.left_out:
                kept.append(node)
        found.nodes = kept
    found.nodes = nodes
    found.overwritten = memory.overwritten(nodes)


def entry_name(node: Node) -> str:
    """Return the name of an operation, or of a leaf."""
    return node.name if isinstance(node, Leaf) else catalogue()[node.op].name


class Memory:
    """Which results may share memory. `views` are nodes all of whose results are the same memory."""

    def __init__(self, views: Iterable[int] = ()) -> None:
        self._same: dict[Ref, Ref] = {}  # towards the representative of a memory
        self._shared: dict[Ref, list[Ref]] = {}  # by representative
        self._views = set(views)

    def own(self, ref: Ref) -> Ref:
        """Return the first of the results that are the same memory because one node made them."""
        return Ref(ref.node) if ref.node in self._views else ref

    def of(self, ref: Ref) -> Ref:
        """Return the representative of its memory."""
        ref = self.own(ref)
        while (further := self._same.get(ref, ref)) != ref:
            self._same[ref] = self._same.get(further, further)
            ref = further
        return ref

    def changed(self, ref: Ref, result: Ref) -> list[Ref]:
        """Return all results that may share memory with this one, itself included, of each node the first; from now on
        only the result of the method that has changed them does."""
        memory = self.of(ref)
        found, self._shared[memory] = self._shared.get(memory, [memory]), [result]
        return found

    def join(self, node: Operation, entry: Entry) -> None:
        """Remember that the results of this node may be memory of what stands at its first port."""
        self._views.add(node.id)
        for operand in by_port(entry, node.inputs)[0][1]:
            if isinstance(operand, Ref) and (into := self.of(operand)) != (memory := self.of(Ref(node.id))):
                more, fewer = (self._shared.setdefault(each, [each]) for each in (into, memory))
                if len(fewer) > len(more):
                    into, memory, more, fewer = memory, into, fewer, more
                more += fewer
                del self._shared[memory]
                self._same[memory] = into


def _sharing(node: Node) -> Entry | None:
    """Return the entry of an operation whose results may be memory of its operands; None for any other node."""
    entry = catalogue().get(node.op) if isinstance(node, Operation) else None
    return entry if entry is not None and entry.shares else None


class _Methods:
    """For each memory the in-place methods that change it, each connected to the result of the one before."""

    def __init__(self, drawing: Drawing) -> None:
        self.methods: dict[Ref, list[Operation]] = {}  # by memory: those that can run
        self._drawing = drawing
        views = [(node, entry) for node in drawing.nodes if (entry := _sharing(node)) is not None]
        self._memory = Memory(node.id for node, _ in views)
        self._levels: dict[int, Levels] = {}
        for node, entry in views:
            assert isinstance(node, Operation)
            self._memory.join(node, entry)

    def fault(self, node: Node) -> str:
        """Return why a node whose inputs can all run can't run itself; "" if it can, which is remembered."""
        own: dict[Ref, int] = {}
        for ref in sources(node):
            for memory, level in self._levels[ref.node].items():
                own[memory] = max(own.get(memory, 0), level)
        for ref in sources(node):
            memory = self._memory.of(ref)
            level = self._levels[ref.node].get(memory, 0)
            if level < own.get(memory, 0):
                name, method = self._said(ref), entry_name(self.methods[memory][level])
                return (
                    f"{entry_name(node)} reads {name} after {method} has changed it: connect it to the result of "
                    f"{method}, or to a clone of {name}"
                )
        if isinstance(node, Operation) and in_place(node):
            memory = self._memory.of(sources(node)[0])
            methods = self.methods.setdefault(memory, [])
            if own.get(memory, 0) < len(methods):
                return (
                    f"{entry_name(node)} changes the memory that {entry_name(methods[-1])} changes: connect it to the "
                    f"result of {entry_name(methods[-1])}, or to a clone"
                )
            methods.append(node)
            own[memory] = len(methods)
        self._levels[node.id] = own
        return ""

    def _said(self, ref: Ref) -> str:
        node = self._drawing.by_id[ref.node]
        names = (node.name,) if isinstance(node, Leaf) else node.names
        return names[ref.output] if ref.output < len(names) else f"the result of {entry_name(node)}"

    def _next(self, ref: Ref) -> Operation | None:
        """Return the method that changes this result after it was made."""
        memory = self._memory.of(ref)
        methods, level = self.methods.get(memory, []), self._levels[ref.node].get(memory, 0)
        return methods[level] if level < len(methods) else None

    def readers(self, nodes: list[Node]) -> tuple[dict[int, set[int]], set[int]]:
        """Return by method who reads before it what it changes, and all nodes that must run at their own place."""
        there = {node.id for node in nodes}
        self.methods = {
            memory: kept
            for memory, methods in self.methods.items()
            if (kept := [method for method in methods if method.id in there])
        }
        earlier: dict[int, set[int]] = {}
        for node in nodes:
            for ref in sources(node):
                method = self._next(ref)
                if method is not None and method.id != node.id:
                    earlier.setdefault(method.id, set()).add(node.id)
        spots = {method.id for methods in self.methods.values() for method in methods}
        return earlier, spots.union(*earlier.values())

    def overwritten(self, nodes: list[Node]) -> dict[Ref, str]:
        """Return the results that a method changes after they were made, and its name."""
        found: dict[Ref, str] = {}
        for node in nodes:
            for output in range(1 if isinstance(node, Leaf) else len(outputs(catalogue()[node.op], node))):
                method = self._next(Ref(node.id, output))
                if method is not None:
                    found[Ref(node.id, output)] = entry_name(method)
        return found
