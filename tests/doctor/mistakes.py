"""The pages of common mistakes, `resources/mistakes.json`: of each lesson the first broken snippet, what one sees of
it, what the doctor says of its run, and the fixed snippet. `test_mistakes.py` finds a file that is not current.

    python -m tests.doctor.mistakes
"""

from __future__ import annotations

import json

from gradviz.session.doctor.lessons import LESSONS, diagnose
from gradviz.session.doctor.mistakes import FILE
from gradviz.trace.table.trace import Trace
from tests.doctor.cases import CASES
from tests.trace.running import run


def mistakes() -> list[dict[str, object]]:
    """In the order of the lessons."""
    first = {case.id: case for case in reversed(CASES)}
    pages: list[dict[str, object]] = []
    for lesson in LESSONS:
        case = first[lesson.id]
        broken, fixed = run(case.text), run(case.fixed)
        (finding,) = diagnose(broken)
        page = {"id": lesson.id, "title": lesson.title, "patterns": lesson.patterns}
        page |= {"broken": case.text, "fixed": case.fixed, "error": _error(broken)}
        page |= {"prints": _printed(broken), "should_print": _printed(fixed)}
        pages.append(page | {"explanation": finding.explanation, "advice": finding.advice})
    return pages


def _printed(trace: Trace) -> str:
    texts = trace.texts
    return "".join(text for stream, text in zip(texts.stream, texts.text, strict=True) if stream == "out")


def _error(trace: Trace) -> str:
    return str(trace.errors.last_line[0]) if len(trace.errors) else ""


def written() -> str:
    """The file."""
    return json.dumps(mistakes(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
