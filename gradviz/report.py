"""A trace as text for a terminal, in the words of the window: one line per step (with indented continuation lines) for
`gradviz run --steps`; for `gradviz explain` what is wrong, why a tensor is as it is, and the ranks of a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.disk import shown
from gradviz.document.errors import UserError
from gradviz.trace.table.kinds import Kind
from gradviz.trace.words.explain import explain_fold

if TYPE_CHECKING:
    from gradviz.session.doctor.lessons import Finding
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
        found = explain_fold(trace, cursor, every)
        sentence: str = found.sentence
        kind = Kind(int(trace.steps.kind[frame.began]))
        if (step.kind if every else kind) in TITLED:
            kind_of_error = found.title.partition(" ")[0]  # which a sentence without an explanation begins with, too
            sentence = f"{found.title}: {sentence.removeprefix(f'{kind_of_error}: ')}"
        elif step.kind is Kind.PRINT:
            sentence = f"prints {sentence}"
        place = f"line {step.line}" if step.line > 0 else ""
        yield f"{number:>{width}}  {place:<8}  {sentence}".replace("\n", again)


def reasons(trace: Trace, wanted: str, name: str) -> str:
    """Why a tensor, or its .grad, is as it is in the end; UserError if there is none of this name."""
    from gradviz.session.doctor.case import case_of
    from gradviz.session.inspect.why import in_words

    found = case_of(trace).named(wanted.removesuffix(".grad"), len(trace) + 1)
    if not found:
        raise UserError(f"{name} has no tensor that is called {shown(wanted)} in the end.")
    return in_words(trace.frame_at(len(trace)), found[-1], name) + "\n"


def fixed(findings: Sequence[Finding], wanted: str) -> tuple[str, str]:
    """The snippet with the first fix of this finding, or, second, the sentence that there is none."""
    for each in findings:
        if each.id == wanted and each.fixes:
            return each.fixes[0].text, ""
    if any(each.id == wanted for each in findings):
        return "", f"There is no fix for {wanted}."
    found = ", ".join(dict.fromkeys(each.id for each in findings))
    return "", f"There is no finding {wanted}; {f'there is {found}' if found else 'nothing was found'}."


def found_text(trace: Trace, findings: Sequence[Finding], name: str, *, as_json: bool) -> str:
    """All findings, as a text or as a JSON list; that there are none is said, too."""
    from gradviz.session.doctor.lessons import finding_json, finding_text

    if as_json:
        import json

        return json.dumps([finding_json(trace.source, trace, each, name) for each in findings], indent=2) + "\n"
    found = "\n".join(f"{finding_text(trace.source, each, name)}\n" for each in findings)
    return found or f"{name}: no mistakes found\n"


def rank_table(path: Path) -> str:
    """The ranks of a job whose recordings are in this folder, one a line; empty for anything else."""
    from gradviz.document.snippet import ranks_of

    if not ranks_of(path):
        return ""
    from gradviz.session.comparison.ranks import ranks, table

    return table([*ranks(path)]) + "What is found is that of the first.\n\n"
