"""Explained errors that are about shapes, versions and histories: more rows of `errors`. Each says why, with the names,
lines and numbers of this very run, and what to change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradviz.trace.errors import ErrorExplanation, Mark
from gradviz.trace.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradviz.trace.frame import Frame
    from gradviz.trace.trace import Trace

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+|\[\d+\])*")


def _error_line(trace: Trace) -> int:
    return int(trace.errors.line[0])


def _line(line: int) -> str:
    return f" on line {line}" if line > 0 else ""


def _source(trace: Trace) -> str:
    """The text of the line that raised."""
    lines, line = trace.source.splitlines(), _error_line(trace)
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _tensors_on_line(trace: Trace, frame: Frame) -> list[tuple[str, int]]:
    """The tensors that the failing line names, in order, each once."""
    youngest = {frame.name(row): row for row in range(len(trace.tensors))}
    names = dict.fromkeys(_NAME.findall(_source(trace)))
    parts = [name.rpartition(".")[0] or name for name in names]
    return [(name, youngest[name]) for name in dict.fromkeys([*names, *parts]) if name in youngest]


def _shapes(trace: Trace) -> str:
    """ "a has shape (2,) and b has shape (2, 1)"."""
    frame = trace.frame_at(len(trace))
    return " and ".join(f"{name} has shape {trace.tensors.shape[row]}" for name, row in _tensors_on_line(trace, frame))


def _not_a_matrix(trace: Trace, match: re.Match[str]) -> ErrorExplanation:
    shapes = _shapes(trace)
    why = "mm multiplies two matrices, which have two dimensions each" + (f"; {shapes}." if shapes else ".")
    frame = trace.frame_at(len(trace))
    vector = next((one for one in _tensors_on_line(trace, frame) if len(trace.tensors.shape[one[1]]) == 1), None)
    fix = f"Give both arguments two dimensions{_line(_error_line(trace))}."
    if vector is not None:
        size = trace.tensors.shape[vector[1]][0]
        shape, wanted = (f"(1, {size})", "1, -1") if match[0].startswith("self") else (f"({size}, 1)", "-1, 1")
        fix = f"The shape that was meant is {shape}: write {vector[0]}.reshape({wanted}){_line(_error_line(trace))}."
    return ErrorExplanation(why, fix, (), _error_line(trace))


def _shapes_differ(trace: Trace, match: re.Match[str]) -> ErrorExplanation:
    shapes = _shapes(trace)
    why = "The two shapes do not go together" + (f": {shapes}." if shapes else ".")
    return ErrorExplanation(why, "Reshape, unsqueeze or transpose one of the two.", (), _error_line(trace))


def _no_history(trace: Trace, match: re.Match[str]) -> ErrorExplanation:
    frame = trace.frame_at(len(trace))
    roots = [(name, row) for name, row in _tensors_on_line(trace, frame) if not frame.requires_grad(row)]
    name, reason = roots[0][0] if roots else "The tensor", ""
    marks: tuple[Mark, ...] = ()
    if roots:
        reason = f": {frame.no_grad_reason(roots[0][1])}"
        node = int(trace.tensors.producer[roots[0][1]])
        marks = (Mark(node, "its result has no grad_fn", int(trace.nodes.step[node]) + 1),) if node >= 0 else ()
    why = f"{name} has no grad_fn, so there is no graph to walk back{reason}."
    fix = (
        "Make the tensor whose gradient you want with requires_grad=True, and keep no_grad and detach out of its path."
    )
    return ErrorExplanation(why, fix, marks, _error_line(trace))


def _overwritten(trace: Trace, match: re.Match[str]) -> ErrorExplanation:
    frame = trace.frame_at(len(trace))
    for node in sorted({int(row) for row in trace.saved.node}):
        for buffer in frame.saved(node):
            if buffer.state != "stale":
                continue
            step, line = _write(trace, node)
            name = f" ({frame.name(buffer.tensor)})" if buffer.tensor >= 0 else ""
            why = (
                f"{trace.nodes.name[node]} (line {int(trace.nodes.line[node])}) saved {buffer.name}{name} at version "
                f"{buffer.version_saved} and needs it; the in-place write{_line(line)} made it version "
                f"{buffer.version_now}."
            )
            fix = f"Make a new tensor{_line(line)} instead of overwriting: y = y + 1 for y += 1."
            mark = Mark(node, f"saved {buffer.name} at version {buffer.version_saved}", step)
            return ErrorExplanation(why, fix, (mark,), line)
    return ErrorExplanation("A tensor that was saved for backward has been overwritten.", "Make a new tensor.", ())


def _write(trace: Trace, node: int) -> tuple[int, int]:
    """The cursor and the line of the first in-place write after the node ran."""
    after = int(trace.nodes.step[node])
    writes = [row for row in trace.versions.step.tolist() if row > after] or [
        step for step in range(after, len(trace)) if trace.steps.kind[step] == Kind.INPLACE
    ]
    return (writes[0] + 1, int(trace.steps.line[writes[0]])) if writes else (-1, -1)


def _leaf_in_place(trace: Trace, match: re.Match[str]) -> ErrorExplanation:
    why = "A leaf that requires grad has no history that could remember its old value, so it may not be overwritten."
    fix = f"An update of a parameter belongs under torch.no_grad(){_line(_error_line(trace))}."
    return ErrorExplanation(why, fix, (), _error_line(trace))


def _unused(trace: Trace, match: re.Match[str]) -> ErrorExplanation:
    why = "No path leads from the output back to that input, so there is no derivative to take."
    fix = f"Pass allow_unused=True to get None for it{_line(_error_line(trace))}, or check which tensor was meant."
    return ErrorExplanation(why, fix, (), _error_line(trace))


def _integers(trace: Trace, match: re.Match[str]) -> ErrorExplanation:
    why = "A derivative needs numbers that can change a little; integers and booleans cannot."
    fix = "Write the values with a point, as in 2. for 2, or pass dtype=torch.float32."
    return ErrorExplanation(why, fix, (), _error_line(trace))


LESSONS: tuple[tuple[str, Callable[[Trace, re.Match[str]], ErrorExplanation]], ...] = (
    (r"(self|mat2|mat1) must be a matrix", _not_a_matrix),
    (
        r"must match the size of tensor|shapes cannot be multiplied|size mismatch|inconsistent tensor size",
        _shapes_differ,
    ),
    (r"does not require grad and does not have a grad_fn", _no_history),
    (r"modified by an inplace operation", _overwritten),
    (r"leaf Variable .*in-place operation", _leaf_in_place),
    (r"appears to not have been used in the graph", _unused),
    (r"nly Tensors of floating point .*can require gradients", _integers),
)
