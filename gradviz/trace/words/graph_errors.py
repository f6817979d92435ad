"""Explained errors of the graph itself: a second backward, a root that is not a scalar, overwritten values, tensors
without a history. The rows name the nodes that they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradviz.lists import listed
from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.contributions import saved_names
from gradviz.trace.words.error_explanation import (
    ErrorExplanation,
    Mark,
    Match,
    Row,
    code_text,
    error_line,
    holders,
    on_line,
    plain,
    receiver,
)
from gradviz.trace.words.reasons import first_cut, no_grad_reason, none_sentence

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

_NO_MARKS: tuple[Mark, ...] = ()


def _ready_nodes(trace: Trace) -> list[int]:
    """Nodes that had received all their gradients in the latest call but did not finish, the next to run first."""
    arrivals, steps, call = trace.arrivals, trace.steps, len(trace.calls) - 1
    full = arrivals.tensor[(arrivals.call == call) & (arrivals.arrived == arrivals.expected)]
    nodes = {int(node) for node in trace.tensors.producer[full[full >= 0]] if node >= 0}
    ran = set(steps.node[(steps.kind == Kind.BACKWARD) & (steps.call == call)].tolist())
    return sorted(nodes - ran, key=lambda node: -int(trace.nodes.sequence_nr[node]))


def _node(trace: Trace, node: int) -> str:
    line = int(trace.nodes.line[node])
    return f"{trace.nodes.name[node] or trace.nodes.op[node]}" + (f" (line {line})" if line > 0 else "")


def _freed_mark(trace: Trace, node: int) -> Mark:
    names = listed(saved_names(trace.frame_at(len(trace)), node)) or "its buffers"
    step = int(trace.frees.step[trace.frees.node == node][0]) + 1
    return Mark(node, f"freed {names} at step {step}", step)


def _second_backward(trace: Trace, match: Match) -> ErrorExplanation | None:
    freed = {int(node) for node in trace.frees.node if node >= 0}
    failing = [node for node in _ready_nodes(trace) if node in freed][:1]
    marks = tuple(_freed_mark(trace, node) for node in failing or sorted(freed))
    if not marks:
        return ErrorExplanation("A saved tensor was read after backward() had freed it.", "Read it before backward().")
    earlier = int(trace.steps.call[marks[0].step - 1])
    at = int(trace.calls.line[earlier]) if earlier >= 0 else -1
    is_read = trace.calls.step[-1] < marks[0].step  # by the snippet, not by another backward call
    needs = "was asked for what it saved" if is_read else "needs what it saved"
    why = f"{_node(trace, marks[0].node)} {needs}, but it {marks[0].reason}, when backward() ran{on_line(at)}."
    again = "read it before" if is_read else "compute the forward pass again before the second backward()"
    fix = f"Pass retain_graph=True{on_line(at)}, or {again}."
    return ErrorExplanation(why, fix, marks, at)


def _not_scalar(trace: Trace, match: Match) -> ErrorExplanation | None:
    line = error_line(trace)
    root = _root(trace)
    what, marks = "The root is not a single number", _NO_MARKS
    if root >= 0:
        name = trace.frame_at(len(trace)).name(root)
        what = f"{name} has shape {trace.tensors.shape[root]}"
        marks = _made_by(trace, root, f"its result has shape {trace.tensors.shape[root]}")
    why = f"{what}. The starting gradient is 1 only for a single number; "
    why += "here it needs one weight per element."
    fix = f"Reduce it first, for example with .sum(), or pass gradient= of the same shape{on_line(line)}."
    return ErrorExplanation(why, fix, marks, line)


def _root(trace: Trace) -> int:
    """The tensor on which the failing line calls backward, or which it passes to autograd.grad."""
    line = error_line(trace)
    return next((found for name in ("backward", "grad") if (found := receiver(trace, line, name)) >= 0), -1)


def _made_by(trace: Trace, tensor: int, reason: str) -> tuple[Mark, ...]:
    node = int(trace.tensors.producer[tensor])
    return (Mark(node, reason, int(trace.nodes.step[node]) + 1),) if node >= 0 else ()


def _overwritten(trace: Trace, match: Match) -> ErrorExplanation | None:
    frame = trace.frame_at(int(trace.errors.step[0]))  # before the error frees anything
    for node in _ready_nodes(trace):
        for one in frame.saved(node):
            if one.state != "stale":
                continue
            storage = int(trace.tensors.storage[one.tensor]) if one.tensor >= 0 else -1
            rows = trace.history("versions", "storage").all(storage)
            later = [row for row in rows if trace.versions.version[row] > one.version_saved]
            step = int(trace.versions.step[later[0]]) if later else -1
            line = int(trace.steps.line[step]) if step >= 0 else -1
            name = trace.naming.name(one.tensor, frame.cursor) if one.tensor >= 0 else "a buffer"
            marks = [Mark(node, f"saved {name} at version {one.version_saved}, now {one.version_now}", step + 1)]
            writer = int(trace.steps.node[step]) if step >= 0 else -1
            if writer >= 0:
                marks.append(Mark(writer, f"overwrote {name}{on_line(line)}", step + 1))
            why = f"{_node(trace, node)} saved {name} at version {one.version_saved} and needs it now, "
            why += f"but it was overwritten in place{on_line(line)}: it is at version {one.version_now}."
            text = code_text(trace, line)
            where = f" on line {line}, “{text}”" if text else ""
            fix = f"Make a new tensor instead of writing in place{where}, or clone() what is overwritten first."
            if step >= 0 and trace.steps.kind[step] == Kind.OPTIMIZER:
                fix = f"Call step(){on_line(line)} after every backward() that goes through these parameters, "
                fix += "or run the forward pass again after it."
            return ErrorExplanation(why, fix, tuple(marks), line)
    return ErrorExplanation(
        "A tensor that a node saved for its backward was overwritten in place before that node ran.",
        "Make a new tensor instead of writing in place, or clone() it first.",
    )


def _leaf_in_place(trace: Trace, match: Match) -> ErrorExplanation | None:
    line = error_line(trace)
    view = " (through a view)" if "view of a leaf" in match.string else ""
    why = (
        f"A leaf that requires grad was written to in place{view}: its value would no longer be an input of the graph."
    )
    fix = f"To update a parameter, put line {line} inside “with torch.no_grad():”, else make a new tensor."
    return ErrorExplanation(why, fix, (), line)


def _no_grad_fn(trace: Trace, match: Match) -> ErrorExplanation | None:
    line = error_line(trace)
    root = _root(trace)
    if root < 0:
        return ErrorExplanation(
            "The root has no history: nothing it was computed from requires grad, or the history was cut off.",
            _CUT_FIX,
        )
    why, node = first_cut(trace, root)
    marks = (Mark(node, why, int(trace.nodes.step[node]) + 1),) if node >= 0 else ()
    name = trace.frame_at(len(trace)).name(root)
    fix = _GRAPH_FIX if "create_graph" in why else _STEP_FIX if "not differentiable" in why else _CUT_FIX
    return ErrorExplanation(f"{name} has no history to run backward through: {why}.", fix, marks, line)


_GRAPH_FIX = "Pass create_graph=True there: then the gradient has a graph of its own and can be differentiated."


_STEP_FIX = "Compute the root from the values themselves: indices, comparisons and rounded numbers have no gradient."
_CUT_FIX = "Create the leaf with requires_grad=True, and compute the root from it outside no_grad and without detach()."


def _grad_none(trace: Trace, match: Match) -> ErrorExplanation | None:
    frame = trace.frame_at(len(trace))
    for text, tensor in holders(trace, error_line(trace), "grad"):
        if tensor < 0:
            continue
        reason = no_grad_reason(frame, tensor)
        if reason is not None:
            fix = _GRAD_NONE_FIXES.get(frame.is_leaf(tensor), "")
            marks = _made_by(trace, tensor, "made it: not a leaf") if not frame.is_leaf(tensor) else ()
            return ErrorExplanation(none_sentence(text, reason), fix, marks, error_line(trace))
    return None


_GRAD_NONE_FIXES = {
    True: "Run backward() first, and make sure that the root is computed from this leaf.",
    False: "Only leaves keep .grad: read that of the leaf that it was computed from, or call retain_grad() first.",
}


def _nan_backward(trace: Trace, match: Match) -> ErrorExplanation | None:
    nodes, ran = trace.nodes, np.flatnonzero(trace.steps.kind == Kind.BACKWARD)
    node = int(trace.steps.node[ran[-1]]) if len(ran) else -1
    if node < 0 or nodes.name[node] != match[1]:
        return None
    frame = trace.frame_at(int(ran[-1]))
    grads = [value for t in trace.outputs_of(node).tolist() if (value := frame.passing(t)) is not None]
    came = [value.brief() for value in grads]
    read = [f"{frame.name(t)} = {value.text()}" for t in trace.inputs_of(node).tolist() if (value := frame.value(t))]
    why = f"{_node(trace, node)} got the gradient {', '.join(came) or 'nothing'} and made nan of it. "
    said = f"In the forward pass it read {', '.join(read)}"
    if match[1].endswith("Backward"):  # of a custom function
        why += f"{said}: what its backward() returned is nan."
        fix = "Look at backward() of this function: which of its operations makes nan of these numbers?"
    elif not all(value.is_finite for value in grads):
        why += f"{said}. The gradient was infinite or nan before it came here, and 0 · inf is nan."
        fix = "Look at the operation that sent this gradient, and keep its input away from where it is infinite."
    else:
        why += f"{said}: its derivative is infinite or not defined there."
        fix = "Keep its input away from that point, for example with clamp(), before the operation and not after it."
    return ErrorExplanation(why, fix, (Mark(node, "its gradient is nan", -1),), int(nodes.line[node]))


GRAPH_ROWS: tuple[Row, ...] = (
    (r"backward through the graph a second time", _second_backward),
    (r"grad can be implicitly created only for scalar outputs", _not_scalar),
    (r"modified by an inplace operation", _overwritten),
    (r"leaf Variable that requires grad is being used in an in-place operation", _leaf_in_place),
    (r"does not require grad and does not have a grad_fn", _no_grad_fn),
    (r"'NoneType'", _grad_none),
    (r"Function '(\w+)' returned nan values", _nan_backward),
    (
        r"can't optimize a non-leaf Tensor",
        plain("The optimizer was given a tensor that was computed: its .grad is never filled.", "Give it the leaf."),
    ),
    (
        r"One of the differentiated Tensors does not require grad",
        plain(
            "One of the tensors to differentiate with respect to does not require grad.",
            "Create it with requires_grad=True.",
        ),
    ),
    (
        r"is a view and is being modified inplace",
        plain(
            "This view is one of several that one call made, and autograd can't follow a write to it.",
            "clone() it.",
        ),
    ),
    (
        r"before Module.__init__\(\) call",
        plain(
            "nn.Module.__init__ creates the tables that hold a module's parameters.",
            "Call super().__init__() first.",
        ),
    ),
    (
        r"missing the required \"forward\" function",
        plain(
            "Calling a module runs its forward method, and this one has none.",
            "Define forward(self, x) with exactly this name.",
        ),
    ),
    (
        r"(?i)only tensors of floating point",
        plain(
            "Gradients exist for real and complex numbers only, not for integers.",
            "Write 2. instead of 2, or .float().",
        ),
    ),
    (
        r"appears to not have been used in the graph",
        plain(
            "One of the tensors to differentiate with respect to was not used to compute the output.",
            "Use it, leave it out, or pass allow_unused=True to get None for it.",
        ),
    ),
    (
        r"Can't call numpy\(\) on Tensor that requires grad",
        plain("NumPy arrays have no history, so the tensor must be detached first.", "Call .detach().numpy()."),
    ),
    (
        r"can only change requires_grad flags of leaf variables",
        plain(
            "Only a leaf decides whether it requires grad; here it follows from the operands.",
            "Use .detach() for a copy.",
        ),
    ),
    (
        r"can't retain_grad on Tensor that has requires_grad=False|register a hook on a tensor that doesn't require",
        plain("No gradient will ever reach this tensor: it does not require grad.", _CUT_FIX),
    ),
    (
        r"trying to differentiate twice a function that was marked with @once_differentiable",
        plain("The backward of this function is not differentiable itself.", "Write it in differentiable operations."),
    ),
)
