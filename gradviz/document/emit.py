"""From a drawing to its PyTorch code."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.document.drawing import Drawing


@dataclass(frozen=True)
class Span:
    """The expression of a node in the code: 1-based lines, 0-based columns in characters, the end exclusive."""

    node: int
    line: int
    col: int
    end_line: int
    end_col: int


@dataclass(frozen=True)
class Emitted:
    """The code; the expression of each node, those inside of others after them; the lines of the backward calls."""

    text: str
    spans: tuple[Span, ...] = ()
    names: tuple[tuple[int, tuple[str, ...]], ...] = ()  # of the outputs of each node that has a statement of its own
    call_lines: tuple[int, ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()  # nodes that can't run yet, and why: "mul: other is not connected"


def emit(drawing: Drawing) -> Emitted:
    """The code of a drawing, as a person would write it."""
    return Emitted("")
