"""What is known at a line of code that is being read: what each name means, and the nodes so far. The meaning of an
expression is one of the records here.

Note [Changed tensors] After an in-place method, whatever meant the tensor that it changed means its result. Another
view of the same memory has changed, too, but a drawing has no wire for its new value: it can't be read any more."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field, replace

from gradviz.document.catalogue import Entry, catalogue, outputs
from gradviz.document.code.order import Memory
from gradviz.document.drawing import BackwardCall, Leaf, Literal, Node, Operand, Operation, Ref
from gradviz.document.errors import UserError
from gradviz.document.shaping.names import free_name, is_name

MOST_NODES = 12_000
LONGEST_NAME = 60  # of a leaf created for an unknown name


@dataclass(frozen=True)
class Plain:
    """A Python value that is not a tensor: a number, a text, a list of numbers."""

    value: Literal


@dataclass(frozen=True)
class Listed:
    """A list of things that are not all plain, such as the one in `torch.stack([a, b])`."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Several:
    """A node with several outputs; `count` is 0 if only a run tells how many."""

    node: int
    count: int
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Named:
    """A module or a function below torch, by its path: "" for torch itself, "nn.functional", "relu"; "math.pi"."""

    path: str


@dataclass(frozen=True)
class Dtype:
    """A dtype such as torch.float64."""

    name: str


Value = Ref | Plain | Listed | Several | Named | Dtype


def refuse(at: ast.AST, sentence: str) -> UserError:
    """Return the error for something in the code, with its line."""
    return UserError(f"Line {getattr(at, 'lineno', 1)}: {sentence}")


@dataclass
class Scope:
    """What was read so far. `bindings` are names in the order of assignment; a node may have several."""

    values: dict[str, Value] = field(default_factory=dict)
    nodes: dict[int, Node] = field(default_factory=dict)
    bindings: list[tuple[str, Ref]] = field(default_factory=list)
    uses: Counter[int] = field(default_factory=Counter)
    called: Counter[Ref] = field(default_factory=Counter)  # how many names each result has
    calls: list[BackwardCall] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    grown: set[int] = field(default_factory=set)  # nodes whose names tell how many outputs they have
    asides: set[int] = field(default_factory=set)  # leaves that only appear as the gradient of a call
    seed: int | None = None
    next_id: int = 1
    invents: bool = False  # an unknown name becomes a leaf that requires grad
    line: int = 1
    memory: Memory = field(default_factory=Memory)
    now: dict[Ref, Ref] = field(default_factory=dict)  # what changed tensors are: see Note [Changed tensors]
    lost: dict[Ref, str] = field(default_factory=dict)  # what else has changed, and by which method

    def look_up(self, name: ast.Name) -> Value:
        """Return what a name means here."""
        value = self.values.get(name.id)
        if value is None and self.invents and len(name.id) <= LONGEST_NAME:
            value = self.add(Leaf(self.next_id, name.id, 1.0, requires_grad=True))
            self.bind(name.id, value)
        if value is None:
            raise refuse(name, f"{name.id[:LONGEST_NAME]} is not defined above. Define it first, or correct the name.")
        return value

    def bind(self, name: str, value: Value) -> None:
        """Bind the name to this from now on."""
        before = self.values.get(name)
        if isinstance(before, Ref):
            self.called[before] -= 1
        self.values[name] = value
        if isinstance(value, Ref):
            self.called[value] += 1
            self.bindings.append((name, value))

    def add(self, node: Node) -> Ref:
        """Add a node with the next number."""
        if len(self.nodes) >= MOST_NODES:
            raise UserError(f"This code has more than {MOST_NODES} operations. Cut out the part that you want to draw.")
        self.nodes[node.id] = node
        self.next_id = node.id + 1
        if isinstance(node, Operation):
            self.uses.update(operand.node for operand in node.inputs if isinstance(operand, Ref))
        return Ref(node.id)

    def operate(
        self, entry: Entry, inputs: tuple[Operand, ...], params: tuple[tuple[str, Literal], ...] = ()
    ) -> Ref | Several:
        """Add an operation and return its result."""
        inputs = tuple(self.current(each) if isinstance(each, Ref) else each for each in inputs)
        node = Operation(self.next_id, entry.key, inputs, params)
        ref = self.add(node)
        names = outputs(entry, node)
        if entry.shares:
            self.memory.join(node, entry)
        if entry.in_place:
            self._change(entry, node)
        if entry.many:
            known = entry.many == "inputs" or (len(names) > 1 and entry.many != "names")
            return Several(node.id, len(names) if known else 0)
        return ref if len(names) == 1 else Several(node.id, len(names), names)

    def current(self, ref: Ref) -> Ref:
        """Return the result that a tensor is after all methods that changed it; refuses one whose value has no wire."""
        start = ref
        while (later := self.now.get(ref)) is not None:
            ref = later
        if ref != start:
            self.now[start] = ref
        method = self.lost.get(self.memory.own(ref))
        if method is not None:
            raise UserError(
                f"Line {self.line}: {method} has changed the memory that this reads, and a drawing has no wire for its "
                f"new value. Take it from the result of {method} again, or make a .clone() before."
            )
        return ref

    def _change(self, entry: Entry, node: Operation) -> None:
        target = node.inputs[0]
        assert isinstance(target, Ref)
        if self.calls:
            raise UserError(
                f"Line {self.line}: {entry.name} comes after backward, but in a drawing everything else runs before it."
            )
        for ref in self.memory.changed(target, Ref(node.id)):
            self.lost.setdefault(ref, entry.name)
        self.now[target] = Ref(node.id)  # which is looked up first
        self.lost.pop(Ref(node.id), None)

    def leaf(self, at: ast.AST, value: Value, what: str) -> Leaf:
        """Return this leaf; refuses what was computed."""
        node = self.nodes.get(value.node) if isinstance(value, Ref) else None
        if isinstance(value, Ref) and value in self.now and what != "inputs":
            raise refuse(at, f"{what} comes after an in-place method, but in a drawing it is there from the start.")
        if not isinstance(node, Leaf):
            raise refuse(at, f"{what} needs a leaf here. Write the tensor down with a name of its own.")
        return node


def give_names(scope: Scope) -> None:
    """Name the nodes in the scope. A variable that was assigned several times is several nodes: one that is used once
    needs no name, the first of the others keeps the name, the rest get numbers."""
    bound: dict[str, dict[Ref, None]] = {}  # in the order of the code, each once
    for name, ref in scope.bindings:
        if ref.node in scope.nodes:
            bound.setdefault(name, {})[ref] = None
    roots = {call.root.node for call in scope.calls}
    used = set(bound)
    given: dict[Ref, str] = {}
    for name, refs in bound.items():
        if not is_name(name):
            continue
        free, last = name, next(reversed(refs))
        for ref in refs:
            if ref in given or not (ref == last or _must(scope, ref, roots)):
                continue
            given[ref] = free
            used.add(free)
            free = free_name(free, used)
    for id, node in scope.nodes.items():
        scope.nodes[id] = _named(node, given, used)


def _must(scope: Scope, ref: Ref, roots: set[int]) -> bool:
    """Whether a node has to have a name."""
    node = scope.nodes[ref.node]
    if isinstance(node, Leaf) or ref.node in roots or scope.uses[ref.node] != 1:
        return True
    return len(outputs(catalogue()[node.op], node)) > 1


def _named(node: Leaf | Operation, given: dict[Ref, str], used: set[str]) -> Leaf | Operation:
    if isinstance(node, Leaf):
        return replace(node, name=given.get(Ref(node.id), ""))
    words = outputs(catalogue()[node.op], node)
    names = [given.get(Ref(node.id, at), "") for at in range(len(words))]
    if len(names) > 1:  # those that the code does not name get PyTorch's names
        for at, word in enumerate(words):
            names[at] = names[at] or free_name(word if is_name(word) else f"part{at + 1}", used)
            used.add(names[at])
    return replace(node, names=tuple(names) if any(names) else ())
