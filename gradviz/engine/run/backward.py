"""The backward pass: the one loop that runs nodes, adds gradients up in input buffers, undoes broadcasting and frees
buffers. Hooks are called here too: those of tensors and the node's prehooks before a node runs, its hooks after it,
post-accumulate hooks after `.grad` changed; they are registered on `Tensor` and `Node`.

Note [Order of steps] A node runs when all its incoming gradients have arrived. Among ready nodes the one with the
highest sequence number (the youngest of the forward pass) goes first, and `AccumulateGrad` outranks everything.
PyTorch's queue of ready nodes is a binary heap, as `heapq`'s is, with the same steps: among nodes of the same number,
several leaves, the heap decides, so that of four leaves that become ready at once the third one runs before the second.
See `autograd.py` for `backward()` and `grad()` as users call them.

Note [Input buffers] Gradients that arrive at one output of a node are added up in its input buffer, not in `.grad`:
that changes only when `AccumulateGrad` runs."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from gradviz.engine.kernel import dtypes
from gradviz.engine.kernel.dtypes import Array
from gradviz.engine.kernel.graph import Edge, GradientEdge, Node, accumulator
from gradviz.engine.kernel.memory import as_leaf, is_as_leaf
from gradviz.engine.kernel.messages import LEAF_OF_GRAD, broadcast_error
from gradviz.engine.kernel.rows import ROWS
from gradviz.engine.kernel.state import Observer, state, warn_once
from gradviz.engine.kernel.tensor import Tensor, mark_inference, wrap
from gradviz.engine.run.apply import call

# --- analysing the graph without running it; no recursion, as graphs may be deep ---


# An input buffer: how many gradients it waits for; then for each output of the node the sum of those that arrived,
# how many these were, and how many are expected. A list, because there is one for every node of every pass.
Box = list[Any]


def count_arrivals(roots: Sequence[Edge]) -> dict[Node, Box]:
    """An empty input buffer for each reachable node, with the number of gradients that it waits for."""
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
    """The nodes from which gradients reach, directly or indirectly, one of `goals`."""
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
    """The nodes reachable from `roots` for which `runs` holds, in the order in which a pass runs them."""
    waiting = {node: box[0] for node, box in count_arrivals(roots).items()}
    for node, _ in roots:
        waiting[node] -= 1
    ready: list[Ready] = []
    for node in dict.fromkeys(node for node, _ in roots):
        heappush(ready, (-node.sequence_nr, _NAN + 0, node))
    found: list[Node] = []
    while ready:
        node = heappop(ready)[2]
        found.append(node)
        for edge in node.next:
            if edge is None or not runs(edge[0]):
                continue
            waiting[edge[0]] -= 1
            if not waiting[edge[0]]:
                heappush(ready, (-edge[0].sequence_nr, _NAN + 0, edge[0]))
    return found


# --- checks of each gradient that a node returns ---


_NO_STACK = "No forward pass information available. Enable detect anomaly during forward pass for more information."


_COMPLEX_FOR_REAL = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got false.  "
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)
# By their formulas; nor by custom Functions.
_NOT_MADE_REAL = frozenset("fill masked_fill index_fill sum mean prod cumprod where".split())


def conform(grad: Tensor, shape: tuple[int, ...], dtype: np.dtype[np.generic] | None, node: Node, index: int) -> Tensor:
    """The gradient summed to the shape and cast to the type of its value, or PyTorch's error."""
    found = grad._data.shape
    if found != shape:
        if not _expandable(shape, found):
            raise RuntimeError(
                f"Function {node.name()} returned an invalid gradient at index {index} - got {list(found)} "
                f"but expected shape compatible with {list(shape)}"
            )
        grad = sum_to(grad, shape)
    if dtype is not None and grad._data.dtype != dtype:
        target = dtypes.OF_NUMPY[dtype]
        if grad.dtype.is_complex and not target.is_complex:
            if node.plan is None or node.plan.row.name in _NOT_MADE_REAL:
                raise RuntimeError(_COMPLEX_FOR_REAL)
            grad = grad.real
        if grad._data.dtype != dtype:
            grad = grad.to(target)
    return grad


def sum_to(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Sum over the dimensions along which `shape` was broadcast to the gradient's shape."""
    if not shape:
        return grad.sum()
    extra = grad._data.ndim - len(shape)
    dims = [*range(extra), *(i + extra for i, n in enumerate(shape) if n == 1 and grad._data.shape[i + extra] != 1)]
    if len(dims) == extra and not state.grad:  # the same numbers without a view, which nobody follows
        return grad.sum(dims)
    summed: Tensor = grad.sum(dims, keepdim=True)
    return summed.view(shape) if extra else summed


def _expandable(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    return len(shape) <= len(wide) and all(n in (1, m) for n, m in zip(reversed(shape), reversed(wide), strict=False))


def check_layout(grad: Array, leaf: Array, line: int) -> None:
    """Warn if a `.grad` is laid out in memory differently from its leaf."""
    if grad.shape != leaf.shape or is_as_leaf(grad, leaf):
        return
    lies = [
        f"{name}.sizes() = {list(x.shape)}, strides() = {[step // x.itemsize for step in x.strides]}"
        for name, x in (("grad", grad), ("param", leaf))
    ]
    where = f"/__w/pytorch/pytorch/torch/csrc/autograd/functions/accumulate_grad.h:{line}"
    warn_once(
        f"layout {line}",
        "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance.\n"
        f"{lies[0]}\n{lies[1]} (Triggered internally at {where}.)",
        stacklevel=9,
    )


def copy_with_history(grad: Tensor, leaf: Array) -> Tensor:
    """The `.grad` of a leaf under `create_graph`: a copy that is itself part of the graph."""
    copied = call(ROWS["_grad_copy"], None, grad)
    if not is_as_leaf(copied._data, leaf):
        copied._data = as_leaf(copied._data, leaf)
    copied._share_version().value = 1
    return copied


def keep_kind(total: Tensor, parts: Sequence[Tensor], leaf: Tensor | None = None) -> Tensor:
    """A gradient, of a leaf or a sum of `parts`: sparse if these are, without numbers if the leaf has none, and one of
    inference mode if it is made there."""
    if state.inference:
        mark_inference((total,), parts)
    if leaf is not None and leaf._on_meta:
        total._on_meta = True
    if state.sparse is not None:
        state.sparse.gradient(total, parts, leaf)
    return total


def check_nan(node: Node, grads: Sequence[Tensor | None]) -> None:
    """Anomaly mode: refuse a gradient with a NaN and name the forward call that made the node."""
    if not state.anomaly_nan:
        return
    for i, grad in enumerate(grads):
        if grad is not None and np.isnan(grad._data).any():
            warn_of_forward(node)
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def warn_of_forward(node: Node) -> None:
    """Anomaly mode's warnings: the stack of the forward call, and those of the nodes whose backward made this node."""
    name = node.name()
    if node.stack is None:
        _warn(f"Error detected in {name}. {_NO_STACK}", 100)
        return
    _warn(f"Error detected in {name}. Traceback of forward call that caused the error:\n{''.join(node.stack)}", None)
    parent = node.parent
    while parent is not None:
        induced = f"\n\nPrevious calculation was induced by {parent.name()}. "
        if parent.stack is None:
            _warn(induced + _NO_STACK, 100)
        else:
            words = "Traceback of forward call that induced the previous calculation:\n"
            _warn(f"{induced}{words}{''.join(parent.stack)}", None)
        parent = parent.parent


def _warn(message: str, line: int | None) -> None:
    """Warn; if warnings are errors, print instead, as the error of the pass must come through."""
    if line is not None:
        message += (
            f" (Triggered internally at /__w/pytorch/pytorch/torch/csrc/autograd/python_anomaly_mode.cpp:{line}.)"
        )
    try:
        warnings.warn(message, UserWarning, stacklevel=3)
    except UserWarning as error:
        print(f"UserWarning: {error}", file=sys.stderr)  # noqa: T201


def run_tensor_hooks(node: Node, grads: list[Tensor | None], observer: Observer | None) -> None:
    """`Tensor.register_hook`: each may replace the gradient of one output, in the order of registration."""
    assert node.tensor_hooks is not None
    for nr, hooks in node.tensor_hooks.items():
        for hook in tuple(hooks.values()):
            before = grads[nr]
            after = _checked(hook, before, hook(before))
            grads[nr] = after
            if observer is not None:
                observer.hook("tensor", node, before, after)


def _checked(hook: object, before: Tensor | None, after: Tensor | None) -> Tensor | None:
    if after is None:
        return before
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    name = _name(hook)
    if after._data.dtype != before._data.dtype or (after._coo is None) != (before._coo is None):
        was, got = (
            each.dtype.cpu_type if each._coo is None else each.dtype.cpu_type.replace("torch.", "torch.sparse.")
            for each in (before, after)
        )
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {was} got {got})")
    if after._data.shape != before._data.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return after


def keep_retained(node: Node, grads: list[Tensor | None]) -> None:
    """`retain_grad`: applied after the tensor hooks."""
    assert node.retained is not None
    for nr, found in node.retained.items():
        grad, tensor = grads[nr], found()
        if grad is not None and tensor is not None:
            held = tensor._grad
            if held is not None:
                tensor._grad = held + grad
            else:
                tensor._grad = grad.clone() if grad._requires_grad else wrap(grad._data.copy())


def run_pre_hooks(node: Node, grads: list[Tensor | None], observer: Observer | None) -> list[Tensor | None]:
    """`Node.register_prehook`: each sees and may replace the gradients of all outputs."""
    assert node.pre_hooks is not None
    for hook in tuple(node.pre_hooks.values()):
        found = hook(tuple(grads))
        after = _replaced(hook, grads, found)
        if observer is not None:
            observer.hook("pre", node, tuple(grads), tuple(after))
        grads = after
    return grads


def run_post_hooks(
    node: Node, inputs: list[Tensor | None], grads: Sequence[Tensor | None], observer: Observer | None
) -> list[Tensor | None]:
    """`Node.register_hook`: each sees (grad_inputs, grad_outputs) and may replace the former."""
    assert node.post_hooks is not None
    for hook in tuple(node.post_hooks.values()):
        found = hook(tuple(inputs), tuple(grads))
        after = _replaced(hook, inputs, found)
        if observer is not None:
            observer.hook("post", node, tuple(inputs), tuple(after))
        inputs = after
    return inputs


def run_post_accumulate_hooks(variable: Tensor, observer: Observer | None) -> None:
    """`register_post_accumulate_grad_hook`: the hook returns None or the tensor itself."""
    assert variable._post_accumulate is not None
    for hook in tuple(variable._post_accumulate.values()):
        if _checked(hook, variable, hook(variable)) is not variable:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if observer is not None:
            observer.hook("post_accumulate", variable, None, None)


def _name(hook: object) -> str:
    return str(getattr(hook, "__name__", type(hook).__name__))


def _replaced(hook: object, former: list[Tensor | None], found: object) -> list[Tensor | None]:
    """What a node hook returned; refused unless it is one gradient for each that it got."""
    if found is None:
        return list(former)
    if not isinstance(found, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(found).__name__}'")
    if len(found) != len(former):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(found)}, but expected "
            f"{len(former)})"
        )
    for before, each in zip(former, found, strict=True):
        _checked(hook, before, each)
    return list(found)


Ready = tuple[int, float, Node]  # the smallest goes first; the second is a nan of its own, so that nodes can be equal
_NAN = float("nan")
_FRAMES, _MOST_FRAMES = 40, 150_000  # the Python frames that a nested pass may take, and the limit for all of them
_HELD_HERE = 3  # references to a gradient that only the loop holds


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
        self.callbacks: list[Callable[[], Any]] = []  # called at the end of the pass
        self.ready: list[Ready] = []
        self.observer = state.observer
        self.plain = not (create_graph or state.layered)  # gradients are only numbers
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.captured: list[Tensor | None] = []
        self.needed: set[Node] | None = None
        self.boxes = count_arrivals(self.roots)
        if targets is not None:
            goals = {node for node, _ in targets}
            self.needed = leading_to([node for node, _ in self.roots], goals)
            self.captured = [None] * len(targets)
            if accumulate:
                self.needed |= goals
            else:
                for i, (node, nr) in enumerate(targets):
                    self.captures.setdefault(node, []).append((nr, i))
        self.watched = self.observer is not None or state.anomaly or state.inference or self.needed is not None
        first = self._deliver(self.roots, [grad for _, grad in roots])
        if first is not None:
            heappush(self.ready, (-first.sequence_nr, _NAN + 0, first))

    # --- the loop ---

    def run(self) -> None:
        """Run every node that is reached, in PyTorch's order."""
        before, state.grad = (state.grad, state.overriding), self.create_graph
        outer = (state.reached, state.running, state.node)
        room = sys.getrecursionlimit()
        if state.running is not None:  # passes may be nested thousands deep; PyTorch changes threads for it
            sys.setrecursionlimit(min(room + _FRAMES, max(room, _MOST_FRAMES)))
        hooks = (state.saved_hooks, state.saved_hooks_refusal)
        state.reached, state.running = self.boxes if self.needed is None else self.needed, self
        state.overriding, state.passes = False, state.passes + 1
        if not self.create_graph:
            state.observer = None
        try:
            ready = self.ready
            while ready:
                node: Node | None = heappop(ready)[2]
                while node is not None:
                    node = self._evaluate(node)
            for callback in self.callbacks:  # one may add another
                operator.call(callback)
        finally:
            sys.setrecursionlimit(room)
            (state.grad, state.overriding), state.observer = before, self.observer
            state.reached, state.running, state.node = outer
            state.saved_hooks, state.saved_hooks_refusal = hooks

    def will_run(self, node: Node) -> bool:
        """Whether this pass runs the node at some time, or did; the start of the pass does not count."""
        if any(node is root for root, _ in self.roots):
            return False
        if self.captures and node._leaf is not None and node in self.captures:
            raise RuntimeError(LEAF_OF_GRAD)
        return node in self.boxes and (self.needed is None or node in self.needed or node in self.captures)

    def _evaluate(self, node: Node) -> Node | None:
        """Run a node; returns the only node that is ready now, or None if it has to be taken from the queue."""
        state.node = node
        box = self.boxes[node]
        grads = box[1::3]
        del box[1:]
        if node.tensor_hooks is not None:
            run_tensor_hooks(node, grads, self.observer)
        if node.retained is not None:
            keep_retained(node, grads)
        if self.needed is not None:
            for nr, i in self.captures.get(node, ()):
                self.captured[i] = grads[nr]
            if node not in self.needed:
                return None
        if node._leaf is not None:
            if grads[0] is not None:
                self._accumulate(node, grads[0])
            return None
        if node.pre_hooks is not None:
            grads = run_pre_hooks(node, grads, self.observer)
        hooked = node.post_hooks is not None
        try:
            out = node.apply(grads) if self.needed is None else self._apply_in_part(node, grads)
        except Exception:
            if state.anomaly:
                warn_of_forward(node)
            raise
        had_buffers = not self.retain_graph and node.release()
        if self.watched or node.post_hooks is not None:
            found = self._shown(node, grads, out, had_buffers, hooked)
            return self._deliver(node.next, found)
        return self._deliver(node.next, out, node)

    def _apply_in_part(self, node: Node, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Run a node for the inputs that lead to the requested ones; a custom function and one with a variable number
        of inputs computes all, as in PyTorch."""
        assert self.needed is not None
        plan = node.plan
        if plan is None or plan.row.variadic or type(node).apply is not Node.apply:
            return node.apply(grads)
        wanted = tuple(edge is None or edge[0] in self.needed or edge[0] in self.captures for edge in node.next)
        return node.apply(grads) if all(wanted) else plan.part(wanted).run(node, grads)

    def _shown(
        self, node: Node, grads: list[Tensor | None], out: Sequence[Tensor | None], had_buffers: bool, hooked: bool
    ) -> Sequence[Tensor | None]:
        """What a node returned, as it is delivered: changed by hooks, reported, checked by anomaly mode."""
        checked: list[Tensor | None] = []
        for i, (edge, grad) in enumerate(zip(node.next, out, strict=False)):
            if edge is None or grad is None:
                checked.append(None)
                continue
            shape, dtype = edge[0].metas[edge[1]]
            if grad._data.shape != shape or grad._data.dtype is not dtype:
                grad = conform(grad, shape, dtype, node, i)
            checked.append(grad)
        if state.inference and node.plan is not None:
            mark_inference(checked, grads)
        if node.post_hooks is not None:
            # A hook that was registered while the node ran is too late for the gradients that arrived.
            checked = run_post_hooks(node, checked, grads if hooked else [], self.observer)
        if self.observer is not None:
            self.observer.backward_node(node, grads, checked, had_buffers)
        if state.anomaly:
            check_nan(node, checked)
        return checked

    def _deliver(
        self, edges: Sequence[Edge | None], grads: Sequence[Tensor | None], source: Node | None = None
    ) -> Node | None:
        """Add the gradients that `source` returned to the input buffers that they go to. A node is ready when its
        buffer waits for no more; it is queued, or returned if it is the only one."""
        boxes, observer, needed, ready = self.boxes, self.observer, self.needed, self.ready
        first: Node | None = None
        queued, i = False, -1
        for edge in edges:
            i += 1
            if edge is None:
                continue
            to, nr = edge
            box = boxes[to]
            box[0] = waiting = box[0] - 1
            if needed is not None and to not in needed and to not in self.captures:
                continue
            grad = grads[i]
            at = 3 * nr + 1
            if grad is None:
                box[at + 2] -= 1
            else:
                shape, dtype = to.metas[nr]
                data = grad._data
                if source is not None and (data.shape != shape or data.dtype is not dtype):
                    grad = conform(grad, shape, dtype, source, i)
                box[at + 1] = arrived = box[at + 1] + 1
                box[at] = total = grad if arrived == 1 else self._sum(box[at], grad, arrived)
                if observer is not None:
                    observer.contribution(to, nr, grad, total, arrived, box[at + 2])
            if not waiting:
                if first is None:
                    first = to
                else:
                    if not queued:
                        heappush(ready, (-first.sequence_nr, _NAN + 0, first))
                        queued = True
                    heappush(ready, (-to.sequence_nr, _NAN + 0, to))
        if first is None or queued or not ready:
            return None if queued else first
        heappush(ready, (-first.sequence_nr, _NAN + 0, first))
        return None

    def _sum(self, held: Tensor, grad: Tensor, arrived: int) -> Tensor:
        """The sum of an input buffer; from the third gradient on it is our own array and can be written to."""
        if not self.plain:
            return held + grad
        if arrived > 2 and self.observer is None and held._data.dtype is grad._data.dtype and state.sparse is None:
            np.add(held._data, grad._data, held._data)
            return held
        return keep_kind(wrap(np.add(held._data, grad._data, out=...)), (held, grad))

    def _own(self, grad: Tensor, leaf: Array) -> Tensor:
        """A gradient in memory owned by a leaf: a copy laid out like it, unless nobody else holds its numbers. The copy
        counts as written once where PyTorch makes one, too."""
        data = grad._data
        alone = sys.getrefcount(grad) <= _HELD_HERE + 1 and sys.getrefcount(data) <= _HELD_HERE
        flags, rows = data.flags, leaf.flags.c_contiguous and not grad._lazy
        if alone and self.plain and rows and flags.c_contiguous and flags.owndata and flags.writeable:
            return wrap(data)
        made = wrap(as_leaf(data, leaf))
        made._lazy = grad._lazy
        held = not alone and self.observer is None  # which itself holds each gradient
        made._share_version().value = int(held or not is_as_leaf(data, leaf))
        return made

    def _accumulate(self, node: Node, grad: Tensor) -> None:
        """Add to `.grad` of a leaf: in place, unless the gradients themselves are to be differentiated."""
        if node.pre_hooks is not None:
            grads = run_pre_hooks(node, [grad], self.observer)
            assert grads[0] is not None
            grad = grads[0]
        variable = node._leaf
        assert variable is not None
        if variable._node is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        if not variable._requires_grad:  # detach_() was called in the meantime
            return
        held = variable._grad
        if held is None:
            leaf = variable._data
            variable._grad = copy_with_history(grad, leaf) if self.create_graph else self._own(grad, leaf)
            keep_kind(variable._grad, (grad,), variable)
        elif self.create_graph or (held._coo is not None and grad._coo is None):
            before, mixed = held, held._coo is not None and grad._coo is None
            variable._grad = held = keep_kind(grad + held if mixed else held + grad, (before, grad), variable)
            check_layout(held._data, variable._data, 282)
        else:
            if self.observer is not None:
                self.observer.before_write(held)
            if held._data.shape != grad._data.shape:  # the leaf has got other memory since, by `leaf.data = …`
                raise broadcast_error(held._data.shape, grad._data.shape)
            np.add(held._data, grad._data, out=held._data, casting="unsafe")
            keep_kind(held, (held, grad), variable)
            if held._data.strides != variable._data.strides:
                check_layout(held._data, variable._data, 252)
            held._count_write()
        if self.observer is not None:
            self.observer.accumulated(node, variable, grad, held is None)
        if variable._post_accumulate is not None:
            run_post_accumulate_hooks(variable, self.observer)
        if node.post_hooks is not None:
            # The first gradient becomes `.grad` itself if nobody else holds it: then a hook sees later writes.
            own = held is None and not self.create_graph and sys.getrefcount(grad) <= _HELD_HERE
            kept = variable._grad if own else None
            run_post_hooks(node, [], [grad if kept is None else wrap(kept._data)], self.observer)


def target_edge(tensor: Tensor) -> Edge:
    """Where the gradient with respect to `tensor` (or a given edge) arrives."""
    if isinstance(tensor, GradientEdge):
        return tensor.node, tensor.output_nr
    node = tensor.grad_fn
    return (accumulator(tensor), 0) if node is None else (node, tensor._output_nr)
