"""Explained errors: one row per message that learners meet. A row says what the message looks like, which nodes it is
about, why it happened and what to change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.trace.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Mark:
    """A node that an error is about."""

    node: int
    reason: str  # "freed self and other at step 12"
    step: int  # cursor at which it happened, -1 none


@dataclass(frozen=True, slots=True)
class ErrorExplanation:
    """Why an error happened and what to change."""

    why: str
    fix: str  # "Pass retain_graph=True on line 9."
    marks: tuple[Mark, ...]
    fix_line: int = -1


_NO_MARKS: tuple[Mark, ...] = ()
_Match = re.Match[str]
_Row = tuple[str, Callable[["Trace", _Match], ErrorExplanation | None]]


def explain_error(trace: Trace) -> ErrorExplanation | None:
    """The explanation of the error that ended the run; None when there is no error or no row for it."""
    if not len(trace.errors):
        return None
    message = str(trace.errors.message[0])
    for pattern, row in ROWS:
        match = re.search(pattern, message)
        if match:
            return row(trace, match)
    return None


def _line(line: int) -> str:
    return f" on line {line}" if line > 0 else ""


def _error_line(trace: Trace) -> int:
    return int(trace.errors.line[0])


def _ready_nodes(trace: Trace, call: int) -> list[int]:
    """Nodes all of whose gradients had arrived in a call but which did not finish running, the next to run first."""
    arrivals, steps = trace.arrivals, trace.steps
    full = arrivals.tensor[(arrivals.call == call) & (arrivals.arrived == arrivals.expected)]
    nodes = {int(node) for node in trace.tensors.producer[full[full >= 0]] if node >= 0}
    ran = set(steps.node[(steps.kind == Kind.BACKWARD) & (steps.call == call)].tolist())
    return sorted(nodes - ran, key=lambda node: -int(trace.nodes.sequence_nr[node]))


def _freed_mark(trace: Trace, node: int) -> Mark:
    low, high = np.searchsorted(trace.saved.node, [node, node + 1])
    names = " and ".join(trace.saved.name[low:high].tolist())
    step = int(trace.saved.freed[low]) + 1
    return Mark(node, f"freed {names} at step {step}", step)


def _second_backward(trace: Trace, match: _Match) -> ErrorExplanation | None:
    frees = set(trace.frees.node.tolist())
    call = len(trace.calls) - 1
    failing = [node for node in _ready_nodes(trace, call) if node in frees][:1]
    nodes = failing or [node for node in sorted(frees) if node >= 0]
    marks = tuple(_freed_mark(trace, node) for node in nodes)
    if not marks:
        return ErrorExplanation(
            "A saved tensor was read after backward() had freed it.", "Read it before backward().", ()
        )
    node = marks[0].node
    name, line = str(trace.nodes.name[node]), int(trace.nodes.line[node])
    earlier = int(trace.steps.call[marks[0].step - 1])
    at = int(trace.calls.line[earlier]) if earlier >= 0 else -1
    why = f"{name} (line {line}) needs what it saved, but {marks[0].reason.replace('freed', 'it freed', 1)}"
    why += f", when backward() ran{_line(at)}."
    fix = f"Pass retain_graph=True{_line(at)}, or compute the forward pass again before the second backward()."
    return ErrorExplanation(why, fix, marks, at)


def _not_scalar(trace: Trace, match: _Match) -> ErrorExplanation | None:
    root = _last_made(trace)
    what, marks = "The root: it", _NO_MARKS
    if root >= 0:
        frame = trace.frame_at(len(trace))
        what = f"{frame.name(root)} has shape {trace.tensors.shape[root]}:"
        marks = _producer_marks(trace, root, "its result is not a scalar")
    why = (
        f"{what} only for a single number is the starting gradient 1 understood. "
        "For more, backward() needs one weight for each element."
    )
    at = _line(_error_line(trace))
    fix = f"Reduce it first, for example .sum().backward(), or pass gradient= of the same shape{at}."
    return ErrorExplanation(why, fix, marks, _error_line(trace))


def _last_made(trace: Trace) -> int:
    """The tensor that the failing line most likely speaks of: the one that its source text names, else the last one
    made."""
    line = _error_line(trace)
    text = trace.source.splitlines()[line - 1] if 0 < line <= len(trace.source.splitlines()) else ""
    frame = trace.frame_at(len(trace))
    for tensor in range(len(trace.tensors) - 1, -1, -1):
        name = frame.name(tensor)
        if text and re.search(rf"(?<![\w.]){re.escape(name)}\s*\.\s*backward|\(\s*{re.escape(name)}\s*[,)]", text):
            return tensor
    return len(trace.tensors) - 1


def _producer_marks(trace: Trace, tensor: int, reason: str) -> tuple[Mark, ...]:
    node = int(trace.tensors.producer[tensor])
    return (Mark(node, reason, int(trace.nodes.step[node]) + 1),) if node >= 0 else ()


ROWS: tuple[_Row, ...] = (
    (r"backward through the graph a second time", _second_backward),
    (r"grad can be implicitly created only for scalar outputs", _not_scalar),
)
