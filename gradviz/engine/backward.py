"""The backward pass: the one loop that runs nodes, adds gradients up in input buffers, undoes broadcasting and frees
buffers.

Note [Order of steps] A node runs when all its incoming gradients have arrived. Among ready nodes the one with the
highest sequence number (the youngest of the forward pass) goes first, and `AccumulateGrad` outranks everything. See
`call.py` for `backward()` and `grad()` as people call them.

Note [Input buffers] Gradients that arrive at one output of a node are added up in its input buffer, not in
`.grad`: that changes only when `AccumulateGrad` runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

import numpy as np

from gradviz.engine.graph import AccumulateGrad, Edge, GradientEdge, Node, accumulator
from gradviz.engine.hooks import (
    keep_retained,
    run_post_accumulate_hooks,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
)
from gradviz.engine.reach import count_arrivals, leading_to
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, wrap
from gradviz.engine.validate import check_nan, conform, copy_with_history, warn_of_forward
from gradviz.engine.words import LEAF_OF_GRAD

Array = np.ndarray[Any, Any]
_HELD_HERE = 3  # references to a gradient that nobody but the loop holds


class GraphTask:
    """One backward pass from its roots to its leaves."""

    count = 0  # of all passes so far

    def __init__(
        self,
        roots: Sequence[tuple[Edge, Tensor]],
        *,
        retain_graph: bool,
        create_graph: bool,
        targets: Sequence[Edge] | None,
        accumulate: bool,
    ) -> None:
        self.number, GraphTask.count = GraphTask.count, GraphTask.count + 1
        self.roots = [edge for edge, _ in roots]
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.buffers: dict[Node, list[Tensor | None]] = {}
        self.callbacks: list[Callable[[], Any]] = []  # what runs when the pass is over
        self.ready: list[tuple[int, int, Node]] = []
        self.pushed = 0
        self.observer = state.observer
        self.watched = self.observer is not None or state.anomaly
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.captured: list[Tensor | None] = []
        self.needed: set[Node] | None = None
        self.dependencies, self.expected = count_arrivals(self.roots, self.observer is not None)
        if targets is not None:
            goals = {node for node, _ in targets}
            self.needed = leading_to([node for node, _ in self.roots], goals)
            self.captured = [None] * len(targets)
            if accumulate:
                self.needed |= goals
            else:
                for i, (node, nr) in enumerate(targets):
                    self.captures.setdefault(node, []).append((nr, i))
        for (node, nr), grad in roots:
            self._deliver(node, nr, grad)

    # --- the loop ---

    def run(self) -> None:
        """Run every node that is reached, in PyTorch's order."""
        before, state.grad = state.grad, self.create_graph
        outer = (state.reached, state.running, state.node)
        hooks = (state.saved_hooks, state.saved_hooks_refusal)
        state.reached, state.running = self.dependencies if self.needed is None else self.needed, self
        if not self.create_graph:
            state.observer = None
        try:
            ready = self.ready
            while ready:
                self._evaluate(heappop(ready)[2])
            for callback in self.callbacks:  # one may add another
                callback()
        finally:
            state.grad, state.observer = before, self.observer
            state.reached, state.running, state.node = outer
            state.saved_hooks, state.saved_hooks_refusal = hooks

    def will_run(self, node: Node) -> bool:
        """Whether this pass runs the node, or ran it."""
        if self.captures and type(node) is AccumulateGrad and node in self.captures:
            raise RuntimeError(LEAF_OF_GRAD)
        return node in self.dependencies and (node in self.needed or node in self.captures)

    def _evaluate(self, node: Node) -> None:
        state.node = node
        grads = self.buffers.pop(node, None)
        if grads is None:
            grads = [None] * max(1, len(node.metas))
        if node.tensor_hooks is not None:
            run_tensor_hooks(node, grads, self.observer)
        if node.retained is not None:
            keep_retained(node, grads)
        if self.needed is not None:
            for nr, i in self.captures.get(node, ()):
                self.captured[i] = grads[nr]
            if node not in self.needed:
                return
        if type(node) is AccumulateGrad:
            if grads[0] is not None:
                self._accumulate(node, grads[0])
            return
        if node.pre_hooks is not None:
            grads = run_pre_hooks(node, grads, self.observer)
        hooked = node.post_hooks is not None
        try:
            out = node.apply(grads)
        except Exception:
            if state.anomaly:
                warn_of_forward(node)
            raise
        had_buffers = not self.retain_graph and node.release()
        if self.watched or node.post_hooks is not None or self.needed is not None:
            self._send_watched(node, grads, out, had_buffers, hooked)
        else:
            self._send(node, out)

    def _send(self, node: Node, out: Sequence[Tensor | None]) -> None:
        """Deliver the gradients that a node returned to where they go: the short way, when nobody wants to see or
        change them."""
        dependencies, buffers = self.dependencies, self.buffers
        for i, edge in enumerate(node.next):
            if edge is None:
                continue
            to, nr = edge
            grad = out[i]
            if grad is not None:
                shape, dtype = to.metas[nr]
                data = grad._data
                if data.shape != shape or data.dtype is not dtype:
                    grad = conform(grad, shape, dtype, node, i)
                buffer = buffers.get(to)
                if buffer is None:
                    buffers[to] = buffer = [None] * len(to.metas)
                held = buffer[nr]
                buffer[nr] = grad if held is None else held + grad
            waiting = dependencies[to] - 1
            dependencies[to] = waiting
            if not waiting:
                self.pushed += 1
                heappush(self.ready, (-to.sequence_nr, self.pushed, to))

    def _send_watched(
        self, node: Node, grads: list[Tensor | None], out: Sequence[Tensor | None], had_buffers: bool, hooked: bool
    ) -> None:
        """As `_send`, with hooks, anomaly mode, reports and the limits of `inputs`."""
        checked: list[Tensor | None] = []
        for i, edge in enumerate(node.next):
            grad = out[i]
            if edge is None or grad is None:
                checked.append(None)
                continue
            shape, dtype = edge[0].metas[edge[1]]
            data = grad._data
            if data.shape != shape or data.dtype is not dtype:
                grad = conform(grad, shape, dtype, node, i)
            checked.append(grad)
        if state.anomaly:
            check_nan(node, checked)
        if node.post_hooks is not None:
            # A hook that came while the node ran is too late to see what arrived.
            checked = run_post_hooks(node, checked, grads if hooked else [None] * len(grads), self.observer)
        if self.observer is not None:
            self.observer.backward_node(node, grads, checked)
            if had_buffers:
                self.observer.freed(node)
        if self.observer is not None and self.needed is None:
            self._deliver_reported(node.next, checked)
            return
        for edge, grad in zip(node.next, checked, strict=True):
            if edge is not None:
                self._deliver(edge[0], edge[1], grad)

    def _deliver_reported(self, edges: Sequence[Edge | None], grads: Sequence[Tensor | None]) -> None:
        """`_deliver` for every edge of a node and `_report_arrival` in one loop: the way of a recorded `backward()`."""
        dependencies, buffers, expected = self.dependencies, self.buffers, self.expected
        contribution = self.observer.contribution  # type: ignore[union-attr]
        for edge, grad in zip(edges, grads, strict=True):
            if edge is None:
                continue
            to, nr = edge
            count = expected[edge]
            if grad is None:
                count[1] -= 1
            else:
                buffer = buffers.get(to)
                if buffer is None:
                    buffers[to] = buffer = [None] * len(to.metas)
                held = buffer[nr]
                buffer[nr] = total = grad if held is None else held + grad
                count[0] = arrived = count[0] + 1
                contribution(to, nr, grad, total, arrived, count[1])
            waiting = dependencies[to] - 1
            dependencies[to] = waiting
            if not waiting:
                self.pushed += 1
                heappush(self.ready, (-to.sequence_nr, self.pushed, to))

    def _deliver(self, node: Node, nr: int, grad: Tensor | None) -> None:
        """Add a gradient to a node's input buffer; the node is ready when it waits for no other."""
        waiting = self.dependencies[node] - 1
        self.dependencies[node] = waiting
        wanted = self.needed is None or node in self.needed or node in self.captures
        if grad is not None and wanted:
            buffer = self.buffers.get(node)
            if buffer is None:
                buffer = self.buffers[node] = [None] * len(node.metas)
            before = buffer[nr]
            buffer[nr] = grad if before is None else before + grad
        if self.observer is not None and wanted:
            self._report_arrival(node, nr, grad)
        if not waiting and wanted:
            self.pushed += 1
            heappush(self.ready, (-node.sequence_nr, self.pushed, node))

    def _report_arrival(self, node: Node, nr: int, grad: Tensor | None) -> None:
        count = self.expected[(node, nr)]
        if grad is None:
            count[1] -= 1
            return
        count[0] += 1
        total = self.buffers[node][nr]
        assert self.observer is not None and total is not None
        self.observer.contribution(node, nr, grad, total, count[0], count[1])

    def _accumulate(self, node: AccumulateGrad, grad: Tensor) -> None:
        """Add to `.grad` of a leaf: in place, unless the gradients themselves are to be differentiated."""
        if node.pre_hooks is not None:
            grads = run_pre_hooks(node, [grad], self.observer)
            assert grads[0] is not None
            grad = grads[0]
        variable = node.variable
        held = variable._grad
        if held is None:
            variable._grad = copy_with_history(grad) if self.create_graph else wrap(grad._data.copy())
        elif self.create_graph:
            variable._grad = held + grad
        else:
            if self.observer is not None:
                self.observer.before_write(held)
            np.add(held._data, grad._data, out=held._data, casting="unsafe")
            held._share_version().value += 1
        if self.observer is not None:
            self.observer.accumulated(node, variable, grad)
        if variable._post_accumulate is not None:
            run_post_accumulate_hooks(variable, self.observer)
        if node.post_hooks is not None:
            # The first gradient becomes `.grad` itself where nobody else holds it: then a hook sees later writes.
            own = held is None and not self.create_graph and getrefcount(grad) <= _HELD_HERE
            kept = variable._grad if own else None
            run_post_hooks(node, [], [grad if kept is None else wrap(kept._data)], self.observer)


def target_edge(tensor: Any) -> Edge:
    """Where the gradient with respect to `tensor` (or at a given edge) arrives."""
    if isinstance(tensor, GradientEdge):
        return tensor.node, tensor.output_nr
    node = tensor.grad_fn
    return (accumulator(tensor), 0) if node is None else (node, tensor._output_nr)
