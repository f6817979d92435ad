"""The content of the error card: PyTorch's message, the cause, what to change, and the changed text if the change can
be made automatically; and the same for a mistake that raised nothing, which `doctor` finds. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from gradviz.document.documents import text_of
from gradviz.document.snippet import is_name
from gradviz.session.state import Phase, State
from gradviz.worker.policy_names import LOOKED_FOR

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
    """What went wrong. `text` is the snippet with the fix, `nodes` are the operations at fault."""

    title: str
    message: str = ""
    line: int = -1
    why: str = ""
    fix: str = ""
    text: str | None = None
    cursor: int | None = None
    nodes: tuple[int, ...] = ()
    lesson: str = ""  # for a mistake that raised nothing
    lines: tuple[str, ...] = ()  # what its fix changes: "- old", "+ new"
    attach: str = ""  # a file that would have to be attached
    needs_time: bool = False
    needs_arguments: bool = False  # the script says that it was called wrongly


def problem(state: State) -> Problem | None:
    """At an error that the snippet has caught, that error; otherwise the problem of the latest run of the text on
    screen. None if all is well or the text has changed since."""
    other = state.what_if
    swapped = other is not None and other.swapped
    written = other.run if other is not None and other.swapped else state.run
    if text_of(written.snippet) != text_of(state.document):
        return None
    found = _caught(state) or _looked_at(state) or _ended(state)
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
    needs_time = run.phase is Phase.LIMIT and bool(re.search(r"\d seconds", message))
    found = Problem(title[0].upper() + title[1:], message, run.line, needs_time=needs_time)
    return replace(found, attach=missing_file(message), needs_arguments=message == "SystemExit: 2")  # argparse's own


def missing_file(message: str) -> str:
    """The name of a file that a snippet looks for and nobody has attached; "" if a message is about something else."""
    module = re.search(r"\battach (\w+\.py)\b", message)
    file = re.search(r"No such file or directory(?:: [^']*)?: '([^']+)'", message)
    if module:
        return module[1]
    name = file[1] if file else ""
    path = name.removeprefix("./")
    return path if is_name(path) else name.rpartition("/")[2]


def _looked_at(state: State) -> Problem | None:
    """The doctor's finding that is on the card."""
    found = state.looked_at
    if found is None:
        return None
    made = found.fixes[0].text if found.fixes else None
    return Problem(
        title=f"{_where(found.line)}{found.title}",
        line=found.line,
        why=found.explanation,
        fix=found.advice,
        text=made,
        cursor=found.step,
        nodes=tuple(mark.node for mark in found.marks),
        lesson=found.id,
        lines=changed_lines(text_of(state.document), made),
    )


def changed_lines(before: str, after: str | None) -> tuple[str, ...]:
    """The lines that a change removes, "- old", and adds, "+ new"."""
    if after is None:
        return ()
    from difflib import unified_diff

    lines = list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[2:]
    return tuple(f"{line[0]} {line[1:]}" for line in lines if line[0] in "+-")


def _caught(state: State) -> Problem | None:
    """The caught error that is the current step; none during playback."""
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


@lru_cache(maxsize=1)  # requested at every step
def _raised(text: str, trace: Trace, cursor: int) -> Problem:
    found = replace(_explained(text, trace, cursor), attach=missing_file(str(trace.errors.message[0])))
    said = str(trace.texts.text[len(trace.texts) - 1]) if len(trace.texts) else ""
    return replace(found, fix=said.strip()) if said.startswith(LOOKED_FOR) and not found.fix else found


def _explained(text: str, trace: Trace, cursor: int) -> Problem:
    from gradviz.session.doctor.lessons import of_error
    from gradviz.trace.words.errors import explain_error

    kind, message, line = str(trace.errors.type[0]), str(trace.errors.message[0]), int(trace.errors.line[0])
    title, found = f"{_where(line)}{kind}", of_error(trace, text)
    if found is not None:
        made = found.fixes[0].text if found.fixes else None
        nodes = tuple(mark.node for mark in found.marks)
        return Problem(title, message, line, found.explanation, found.advice, made, cursor, nodes)
    explanation = explain_error(trace)
    if explanation is None:
        return Problem(title, message, line, cursor=cursor)
    nodes = tuple(mark.node for mark in explanation.marks)
    return Problem(title, message, line, explanation.why, explanation.fix, None, cursor, nodes)


def _where(line: int) -> str:
    return f"Line {line} · " if line > 0 else ""
