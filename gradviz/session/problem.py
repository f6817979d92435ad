"""What the error card says about the latest run: PyTorch's message, why it happened, what to change, and the changed
text where a machine can make the change. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from gradviz.document import edits
from gradviz.document.documents import text_of
from gradviz.session.state import Phase, State

if TYPE_CHECKING:
    from gradviz.trace.table.trace import Trace

TITLES = {
    Phase.RAISED: "the snippet has a syntax error",
    Phase.REFUSED: "not run",
    Phase.LIMIT: "stopped at a limit",
    Phase.DIED: "the worker ended",
}
CHANGED = "With the change"


@dataclass(frozen=True)
class Problem:
    """What went wrong. `text` is the snippet with the fix in it, `nodes` the operations that are to blame."""

    title: str
    message: str = ""
    line: int = -1
    why: str = ""
    fix: str = ""
    text: str | None = None
    cursor: int | None = None
    nodes: tuple[int, ...] = ()


def problem(state: State) -> Problem | None:
    """At an error that the snippet has caught, that one; else the problem of the latest run of the shown text. None if
    all is well or the text has changed since."""
    other = state.what_if
    swapped = other is not None and other.swapped
    written = other.run if other is not None and other.swapped else state.run
    if text_of(written.snippet) != text_of(state.document):
        return None
    found = _caught(state) or _ended(state)
    if found is None or not swapped:
        return found
    return replace(found, title=f"{CHANGED} · {found.title}", text=None)


def _ended(state: State) -> Problem | None:
    run, trace = state.run, state.trace
    if run.phase not in TITLES:
        return None
    if run.phase is Phase.RAISED and trace is not None and trace.error_step is not None:
        return _raised(text_of(run.snippet), trace, trace.error_step)
    title = f"{_where(run.line)}{TITLES[run.phase]}"
    message = run.sentence.removeprefix(f"line {run.line}: ")  # the title says it
    return Problem(title=title[0].upper() + title[1:], message=message, line=run.line)


def _caught(state: State) -> Problem | None:
    """The caught error that is the current step; while steps are played none is shown."""
    trace = state.trace
    if trace is None or state.playing or not len(trace.caught):
        return None
    row = int(trace.caught.step.searchsorted(state.cursor - 1))
    if row == len(trace.caught) or trace.caught.step[row] != state.cursor - 1:
        return None
    return _explained_caught(text_of(state.run.snippet), trace, row)


@lru_cache(maxsize=1)
def _explained_caught(text: str, trace: Trace, row: int) -> Problem:
    from gradviz.trace.words.errors import as_ended

    found = _explained(text, as_ended(trace, row), int(trace.caught.step[row]) + 1)
    return replace(found, title=f"{found.title}, caught")


@lru_cache(maxsize=1)  # asked for at every step
def _raised(text: str, trace: Trace, cursor: int) -> Problem:
    return _explained(text, trace, cursor)


def _explained(text: str, trace: Trace, cursor: int) -> Problem:
    from gradviz.trace.words.errors import explain_error

    kind, message, line = str(trace.errors.type[0]), str(trace.errors.message[0]), int(trace.errors.line[0])
    explanation = explain_error(trace)
    fault = Fault(text, line, explanation.fix_line if explanation else -1, message)
    return Problem(
        title=f"{_where(line)}{kind}",
        message=message,
        line=line,
        why=explanation.why if explanation else "",
        fix=explanation.fix if explanation else "",
        text=fixed_text(fault),
        cursor=cursor,
        nodes=tuple(mark.node for mark in explanation.marks) if explanation else (),
    )


def _where(line: int) -> str:
    return f"Line {line} · " if line > 0 else ""


@dataclass(frozen=True)
class Fault:
    """What a fix may look at: the text, the line that raised, the line that the explanation wants changed (-1:
    none)."""

    text: str
    line: int
    fix_line: int
    message: str


def _retain_graph(fault: Fault) -> str | None:
    for function in ("backward", "grad"):
        text = edits.add_keyword(fault.text, fault.fix_line, function, "retain_graph", "True")
        if text is not None:
            return text
    return None


def _ones(fault: Fault) -> str | None:
    root = edits.receiver(fault.text, fault.line, "backward")
    if root is None:
        return None
    return edits.insert_argument(fault.text, fault.line, "backward", f"torch.ones_like({root})")


def _matrix(fault: Fault) -> str | None:
    arguments = edits.call_arguments(fault.text, fault.line, "mm")
    place = 1 if fault.message.startswith("mat2") else 0
    if len(arguments) != 2:
        return None
    new = f"{arguments[place]}.unsqueeze({place})"
    return edits.replace_expression(fault.text, fault.line, arguments[place], new)


def _out_of_place(fault: Fault) -> str | None:
    return edits.out_of_place(fault.text, fault.fix_line)


def _no_grad(fault: Fault) -> str | None:
    return edits.under_no_grad(fault.text, fault.line)


def _allow_unused(fault: Fault) -> str | None:
    return edits.add_keyword(fault.text, fault.line, "grad", "allow_unused", "True")


FIXES: tuple[tuple[str, Callable[[Fault], str | None]], ...] = (
    (r"backward through the graph a second time", _retain_graph),
    (r"grad can be implicitly created only for scalar outputs", _ones),
    (r"must be a matrix", _matrix),
    (r"modified by an inplace operation", _out_of_place),
    (r"leaf Variable .*in-place operation", _no_grad),
    (r"appears to not have been used in the graph", _allow_unused),
)


def fixed_text(fault: Fault) -> str | None:
    """The snippet with the fix made, None where no fix is known for this message or this code."""
    for pattern, fix in FIXES:
        if re.search(pattern, fault.message):
            return fix(fault)
    return None
