"""The chain rule path by path: from the root of a backward call along every path to one tensor, with the gradient that
arrives along that path alone. It runs nodes itself, before the call frees what they saved, and passes the results to
the recorder; the tables are in `schema`, and `gradviz.session.inspect.chain_rule` interprets them.

Note [Paths and gradients] The gradient of a tensor is the sum over all paths of what arrives along each: the backward
pass adds up at every tensor on the way, a single path never does. There may be far more paths than nodes, so they are
counted without being walked, and only the first ones are walked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from gradviz.engine.kernel.graph import Edge, Node, edge_of
from gradviz.engine.kernel.state import paused, state
from gradviz.engine.kernel.tensor import Tensor, wrap
from gradviz.engine.run.backward import conform, count_arrivals, leading_to

if TYPE_CHECKING:
    from gradviz.trace.table.encoding import Writer

MOST_PATHS = 200
MOST_RUNS = 5_000  # of nodes, for all paths together


@dataclass(frozen=True)
class Question:
    """A question about a backward call and a tensor, both by their rows in the trace: the paths between them, or, with
    `nudges`, the gradient by finite differences (`finite_differences.py`)."""

    call: int
    tensor: int
    nudges: bool = False


@dataclass(frozen=True)
class Link:
    """One step of a path: the node, the operand to which it continues, its derivative if both its result and the
    operand are single numbers (otherwise NaN), and the gradient after it."""

    node: Node
    slot: int
    local: float
    grad: Tensor


@dataclass(frozen=True)
class Chain:
    """A path from a root to the tensor; without links if the root is the tensor."""

    root: int
    links: tuple[Link, ...]
    grad: Tensor


_Trail = tuple["_Trail", Link] | None  # the links so far, as nested pairs with the latest outermost


def chains(
    roots: Sequence[Tensor], seeds: Sequence[Tensor | None], is_goal: Callable[[Edge], bool]
) -> tuple[float, list[Chain]]:
    """The number of paths, and the first ones in the order of the nodes' operands."""
    starts = [(at, edge) for at, edge in enumerate(map(edge_of, roots)) if edge is not None]
    edges = [edge for _, edge in starts]
    reached = count_arrivals(edges)
    goals = {node for node in reached if any(is_goal((node, nr)) for nr in range(len(node.metas)))}
    leading = leading_to([node for node, _ in edges], goals)
    ways = _count(leading, is_goal)
    total = sum(ways.get(edge[0], 0.0) + float(is_goal(edge)) for edge in edges)
    walk = _Walk(leading, is_goal)
    for at, edge in starts:
        seed = seeds[at]
        walk.from_root(at, edge, wrap(np.ones_like(roots[at]._data)) if seed is None else seed)
    return total, walk.found


def _count(leading: set[Node], is_goal: Callable[[Edge], bool]) -> dict[Node, float]:
    """The number of paths from each node to the goal; nodes come after those that they lead to."""
    ways: dict[Node, float] = {}
    for node in sorted(leading, key=lambda each: each.sequence_nr):
        following = [edge for edge in node.next if edge is not None]
        ways[node] = sum(ways.get(edge[0], 0.0) + float(is_goal(edge)) for edge in following)
    return ways


class _Walk:
    """Walks the paths depth first, without recursion."""

    def __init__(self, leading: set[Node], is_goal: Callable[[Edge], bool]) -> None:
        self.found: list[Chain] = []
        self._leading = leading
        self._is_goal = is_goal
        self._runs = 0
        self._locals: dict[Edge, list[float]] = {}

    def from_root(self, root: int, edge: Edge, seed: Tensor) -> None:
        """All paths from this root."""
        stack: list[tuple[Edge, Tensor, _Trail]] = [(edge, seed, None)]
        while stack and len(self.found) < MOST_PATHS and self._runs < MOST_RUNS:
            here, grad, trail = stack.pop()
            if self._is_goal(here):
                self.found.append(Chain(root, _links(trail), grad))
            if here[0] in self._leading:
                stack += reversed(self._onwards(here, grad, trail))

    def _onwards(self, here: Edge, grad: Tensor, trail: _Trail) -> list[tuple[Edge, Tensor, _Trail]]:
        node, nr = here
        out = self._run(node, nr, grad)
        local = self._local(here)
        found: list[tuple[Edge, Tensor, _Trail]] = []
        for i, edge in enumerate(node.next):
            sent = out[i]
            if edge is None or sent is None or not (edge[0] in self._leading or self._is_goal(edge)):
                continue
            slot = i if node.slots is None else node.slots[i]
            found.append((edge, sent, (trail, Link(node, slot, local[i], sent))))
        return found

    def _run(self, node: Node, nr: int, grad: Tensor) -> list[Tensor | None]:
        """What the node sends on if this gradient arrives at one of its outputs and none at the others."""
        self._runs += 1
        grads: list[Tensor | None] = [None] * len(node.metas)
        grads[nr] = grad
        return [sent for _, sent in sent_by(node, grads)]

    def _local(self, here: Edge) -> list[float]:
        """The derivatives of an output by the node's operands, where both are single real numbers."""
        known = self._locals.get(here)
        if known is None:
            node, nr = here
            shape, dtype = node.metas[nr]
            known = [nan] * len(node.next)
            if np.prod(shape) == 1 and dtype is not None and np.dtype(dtype).kind == "f":
                out = self._run(node, nr, wrap(np.ones(shape, dtype)))
                known = [_number(sent) for sent in out]
            self._locals[here] = known
        return known


def sent_by(node: Node, grads: list[Tensor | None]) -> list[tuple[int, Tensor | None]]:
    """What a node sends on, as it arrives: each operand's slot, and the gradient in the operand's shape and dtype."""
    found: list[tuple[int, Tensor | None]] = []
    for i, (edge, sent) in enumerate(zip(node.next, node.apply(grads), strict=False)):
        if edge is not None and sent is not None:
            shape, dtype = edge[0].metas[edge[1]]
            sent = conform(sent, shape, dtype, node, i)
        found.append((i if node.slots is None else node.slots[i], None if edge is None else sent))
    return found


def _number(sent: Tensor | None) -> float:
    return float(sent._data.reshape(-1)[0]) if sent is not None and sent._data.size == 1 else nan


def _links(trail: _Trail) -> tuple[Link, ...]:
    found = []
    while trail is not None:
        trail, link = trail
        found.append(link)
    return tuple(reversed(found))


def answer(
    question: Question,
    roots: Sequence[Tensor],
    seeds: Sequence[Tensor | None],
    tensor_of_edge: Callable[[Edge], int],
    writer: Writer,
) -> None:
    """Walk the paths and record them. A node that can't run (its buffers are gone) ends the walk: the backward call
    that follows reports why."""
    before, state.grad = state.grad, False
    try:
        with paused():
            total, found = chains(roots, seeds, lambda edge: tensor_of_edge(edge) == question.tensor)
    except RuntimeError:
        return
    finally:
        state.grad = before
    writer.add("answers", question.call, question.tensor, total)
    for chain in found:
        row = writer.add("chains", chain.root, writer.value(chain.grad._data))
        for link in chain.links:
            writer.add("links", row, link.node._tag, link.slot, link.local, writer.value(link.grad._data))
