"""Looking over the graph of a backward pass without running it: how many gradients each node waits for, which nodes
lead to the tensors asked for, in which order they run. No recursion, as graphs may be deep. See `backward.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from gradviz.engine.kernel.graph import Edge, Node

# An input buffer: how many gradients it waits for; then for each output of the node the sum of those that arrived,
# how many these were, and how many are expected. A list, because there is one for every node of every pass.
Box = list[Any]


def count_arrivals(roots: Sequence[Edge]) -> dict[Node, Box]:
    """An empty input buffer for each node that is reached, which knows how many gradients it waits for."""
    boxes: dict[Node, Box] = {}
    find = boxes.get
    stack: list[Node] = []
    edges: Sequence[Edge | None] = roots
    while True:
        for edge in edges:
            if edge is None:
                continue
            node, nr = edge
            box = find(node)
            if box is None:
                boxes[node] = box = [0, None, 0, 0]
                if len(node.metas) > 1:
                    box += [None, 0, 0] * (len(node.metas) - 1)
                stack.append(node)
            box[0] += 1
            box[3 * nr + 3] += 1
        if not stack:
            return boxes
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


def running_order(roots: Sequence[Edge], runs: Callable[[Node], bool]) -> list[Node]:
    """The nodes from `roots` on for which `runs` holds, in the order in which a pass comes to them."""
    waiting = {node: box[0] for node, box in count_arrivals(roots).items()}
    for node, _ in roots:
        waiting[node] -= 1
    ready = [(-node.sequence_nr, i, node) for i, node in enumerate(dict.fromkeys(node for node, _ in roots))]
    heapify(ready)
    found: list[Node] = []
    while ready:
        node = heappop(ready)[2]
        found.append(node)
        for edge in node.next:
            if edge is None or not runs(edge[0]):
                continue
            waiting[edge[0]] -= 1
            if not waiting[edge[0]]:
                heappush(ready, (-edge[0].sequence_nr, len(found), edge[0]))
    return found
