"""What the error card says about the latest run: PyTorch's message, why it happened, what to change, and the changed
text where a machine can make the change. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gradviz.session.fixes import Fault, fixed_text
from gradviz.session.state import Phase, State

if TYPE_CHECKING:
    from gradviz.trace.trace import Trace

TITLES = {
    Phase.RAISED: "the snippet cannot be read",
    Phase.REFUSED: "not run",
    Phase.LIMIT: "stopped at a limit",
    Phase.DIED: "the worker ended",
}


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
    """The problem of the latest run, None if all is well or the text has changed since."""
    run = state.run
    if run.phase not in TITLES or run.snippet.text != state.document.text:
        return None
    trace = state.trace
    if run.phase is Phase.RAISED and trace is not None and trace.error_step is not None:
        return _raised(state.document.text, trace, trace.error_step)
    title = f"{_where(run.line)}{TITLES[run.phase]}"
    return Problem(title=title[0].upper() + title[1:], message=run.sentence, line=run.line)


@lru_cache(maxsize=1)  # asked for at every step
def _raised(text: str, trace: Trace, cursor: int) -> Problem:
    from gradviz.trace.errors import explain_error

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
