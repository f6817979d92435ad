"""The names of nodes that were read from code. A variable that was given a value several times is several nodes: one
that is used once needs no name, the first of the others keeps the name, the rest get numbers."""

from __future__ import annotations

from dataclasses import replace

from gradviz.document.catalogue import catalogue, outputs
from gradviz.document.drawing import Leaf, Operation, Ref
from gradviz.document.reading.scope import Scope
from gradviz.document.shaping.names import free_name, is_name


def give_names(scope: Scope) -> None:
    """Name the nodes in the scope."""
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
    """True for a node that has to have a name."""
    node = scope.nodes[ref.node]
    if isinstance(node, Leaf) or ref.node in roots or scope.uses[ref.node] != 1:
        return True
    return len(outputs(catalogue()[node.op], node)) > 1


def _named(node: Leaf | Operation, given: dict[Ref, str], used: set[str]) -> Leaf | Operation:
    if isinstance(node, Leaf):
        return replace(node, name=given.get(Ref(node.id), ""))
    words = outputs(catalogue()[node.op], node)
    names = [given.get(Ref(node.id, at), "") for at in range(len(words))]
    if len(names) > 1:  # those that the code does not name are called as PyTorch calls them
        for at, word in enumerate(words):
            names[at] = names[at] or free_name(word if is_name(word) else f"part{at + 1}", used)
            used.add(names[at])
    return replace(node, names=tuple(names) if any(names) else ())
