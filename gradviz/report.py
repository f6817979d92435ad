"""A trace as text, one line per step (further ones are indented), for a terminal: `gradviz run --steps`. The words are
the same that the window shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.explain import explain, step_title

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

TITLED = {Kind.BACKWARD, Kind.HOOK, Kind.OPTIMIZER, Kind.ERROR}  # their sentence does not say what ran


def step_lines(trace: Trace) -> Iterator[str]:
    """Every step as its number, the line of the snippet that was running, and the sentence that explains it."""
    width = len(str(len(trace)))
    again = f"\n{' ' * (width + 12)}"  # under the sentence, so that no text of the snippet looks like a step
    for cursor in range(1, len(trace) + 1):
        frame = trace.frame(cursor)
        step = frame.step
        assert step is not None
        sentence = explain(frame).sentence
        if step.kind in TITLED:
            sentence = f"{step_title(frame)}: {sentence}"
        elif step.kind is Kind.PRINT:
            sentence = f"prints {sentence}"
        place = f"line {step.line}" if step.line > 0 else ""
        yield f"{cursor:>{width}}  {place:<8}  {sentence}".replace("\n", again)
