"""Looking over the graph before a backward pass: how many gradients each node waits for, and which nodes lead to
the tensors asked for. Used by `backward.py` only; no recursion, as graphs may be deep."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.engine.graph import Edge, Node


def count_arrivals(roots: Sequence[Edge], watch: bool) -> tuple[dict[Node, int], dict[Edge, list[int]]]:
    """How many gradients each node waits for; with `watch` also [arrived, expected] of each of its outputs."""
    dependencies: dict[Node, int] = {}
    expected: dict[Edge, list[int]] = {}
    stack: list[Node] = []
    edges: Sequence[Edge | None] = roots
    while True:
        for edge in edges:
            if edge is None:
                continue
            node = edge[0]
            if node in dependencies:
                dependencies[node] += 1
            else:
                dependencies[node] = 1
                stack.append(node)
            if watch:
                if edge in expected:
                    expected[edge][1] += 1
                else:
                    expected[edge] = [0, 1]
        if not stack:
            return dependencies, expected
        edges = stack.pop().next


def leading_to(roots: Sequence[Node], goals: set[Node]) -> set[Node]:
    """The nodes from which gradients go on, at once or later, to one of `goals`."""
    needed: set[Node] = set()
    visited: set[Node] = set()
    stack = [(node, False) for node in roots]
    while stack:
        node, done = stack.pop()
        if done:
            following = (edge[0] for edge in node.next if edge is not None)
            if any(each in needed or each in goals for each in following):
                needed.add(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((edge[0], False) for edge in node.next if edge is not None)
    return needed
