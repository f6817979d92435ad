"""What is said of an error, and the form of a row that says it: what the message looks like, and why it happened and
what to change, for a trace that ends with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    marks: tuple[Mark, ...] = ()
    fix_line: int = -1


Match = re.Match[str]
Row = tuple[str, Callable[["Trace", Match], ErrorExplanation | None]]


def plain(why: str, fix: str) -> Callable[[Trace, Match], ErrorExplanation]:
    """A row whose text needs no look at the trace; groups of the message may be put in as {0}, {1}, …"""

    def row(trace: Trace, match: Match) -> ErrorExplanation:
        groups = [group or "" for group in match.groups()]
        return ErrorExplanation(why.format(*groups), fix.format(*groups), (), error_line(trace))

    return row


def on_line(line: int) -> str:
    """ " on line 9", "" when it is not known."""
    return f" on line {line}" if line > 0 else ""


def error_line(trace: Trace) -> int:
    """The line of the snippet that raised."""
    return int(trace.errors.line[0])
