"""A trace as text, one line per step, for a terminal: `gradviz run --steps`. The words are the frame's own
explanations, the same that the window shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradviz.trace.kinds import Kind

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

SECTIONS = {Kind.BACKWARD_CALL: "backward", Kind.OPTIMIZER: "optimizer step", Kind.ERROR: "error"}


def step_lines(trace: Trace) -> Iterator[str]:
    """Every step as "number, line of the snippet, sentence", with a heading where a backward pass begins."""
    width = len(str(len(trace)))
    for cursor in range(1, len(trace) + 1):
        frame = trace.frame(cursor)
        step = frame.step
        assert step is not None
        if step.kind in SECTIONS:
            yield f"-- {SECTIONS[step.kind]} --"
        place = f"line {step.line}" if step.line > 0 else ""
        yield f"{cursor:>{width}}  {place:<8}  {frame.explanation.sentence}"
