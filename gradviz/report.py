"""A trace as text, one line per step (with indented continuation lines), for a terminal: `gradviz run --steps`. The
wording is that of the window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.explain import explain, explain_fold

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

TITLED = {Kind.BACKWARD, Kind.HOOK, Kind.OPTIMIZER, Kind.ERROR}  # their sentence does not say what ran


def step_lines(trace: Trace, *, every: bool = False) -> Iterator[str]:
    """Every step as its number, the line of the snippet that was running, and the sentence that explains it. Steps that
    are walked as one are a single line, "9–10", unless every step is requested."""
    cursors = list(range(1, len(trace) + 1)) if every else trace.folds.ends.tolist()
    firsts = [end + 1 for end in [0, *cursors][: len(cursors)]]
    numbers = [f"{end}" if end == first else f"{first}–{end}" for first, end in zip(firsts, cursors, strict=True)]
    width = max(map(len, numbers), default=0)
    again = f"\n{' ' * (width + 12)}"  # below the sentence, so that no text of the snippet looks like a step
    for number, cursor in zip(numbers, cursors, strict=True):
        frame = trace.frame(cursor)
        step = frame.step
        assert step is not None
        found = explain(frame) if every else explain_fold(trace, cursor)
        sentence: str = found.sentence
        kind = Kind(int(trace.steps.kind[frame.began]))
        if (step.kind if every else kind) in TITLED:
            sentence = f"{found.title}: {sentence}"
        elif step.kind is Kind.PRINT:
            sentence = f"prints {sentence}"
        place = f"line {step.line}" if step.line > 0 else ""
        yield f"{number:>{width}}  {place:<8}  {sentence}".replace("\n", again)
