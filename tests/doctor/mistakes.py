"""The pages of common mistakes, `resources/mistakes.json`: of each lesson the first broken snippet, what one sees of
it, what the doctor says of its run, and the fixed snippet. `test_mistakes.py` finds a file that is not current.

    python -m tests.doctor.mistakes
"""

from __future__ import annotations

import json

import numpy as np

from gradviz.lists import quantity, size_text
from gradviz.session.doctor.case import case_of
from gradviz.session.doctor.lessons import LESSONS, diagnose
from gradviz.session.doctor.mistakes import FILE
from gradviz.trace.table.trace import Trace
from tests.doctor.cases import CASES
from tests.trace.running import run

ORDER = (  # in which they are taught
    "no-grad-fn non-scalar-root gradient-shape grad-none-integer non-leaf-grad",  # first steps
    "leaf-in-place view-of-leaf-in-place grad-none-rebound non-leaf-optimized",
    "not-zeroed zeroed-too-late never-stepped clipped-too-late clipped-too-early micro-batches-added",  # accumulation
    "backward-twice freed-buffer needless-retain graph-kept",  # one graph
    "saved-overwritten grad-none-not-reached grad-none-detached grad-none-no-grad grad-none-copied",  # the articles
    "cut-by-item cut-by-data inference-tensor matmul-shapes broadcast-sizes broadcast-loss",
    "other-parameters unregistered-parameter layer-repeated frozen-parameter equal-weights",  # training
    "lr-too-large lr-too-small ascent scheduler-first scheduler-unused scheduler-each-batch optimizer-anew",
    "target-type wrong-dim softmax-before-ce double-softmax nll-without-log sigmoid-before-bce",
    "same-batch shuffled-apart target-not-detached batch-first batchnorm-one eval-forgotten state-not-copied",
    "cuda-absent",
    "dead-relu vanishing exploding nan-born nan-where",  # what goes wrong
    "unused-input graph-in-grad gradient-without-graph gradient-swallowed gradient-ignored",  # second order
)


def mistakes() -> list[dict[str, object]]:
    """In the order in which they are taught."""
    first = {case.id: case for case in reversed(CASES)}
    pages: list[dict[str, object]] = []
    place = {id: at for at, id in enumerate(" ".join(ORDER).split())}
    for lesson in sorted(LESSONS, key=lambda each: place[each.id]):
        case = first[lesson.id]
        broken, fixed = run(case.text), run(case.fixed)
        (finding,) = diagnose(broken)
        page = {"id": lesson.id, "title": lesson.title, "patterns": lesson.patterns, "symptoms": lesson.symptoms}
        page |= {"broken": case.text, "fixed": case.fixed, "error": _error(broken)}
        page |= {"prints": _printed(broken), "should_print": _printed(fixed)}
        same = not page["error"] and page["prints"] == page["should_print"]
        page |= {"keeps": _kept(broken) if same else "", "should_keep": _kept(fixed) if same else ""}
        pages.append(page | {"explanation": finding.explanation, "advice": finding.advice})
    return pages


def _printed(trace: Trace) -> str:
    texts = trace.texts
    return "".join(text for stream, text in zip(texts.stream, texts.text, strict=True) if stream == "out")


def _kept(trace: Trace) -> str:
    """What the names of a run still refer to at its end: the operations behind them, and what these saved."""
    named = dict(zip(trace.names.name.tolist(), trace.names.tensor.tolist(), strict=True))
    behind = np.array([*case_of(trace).ancestors(*named.values())])
    nodes = {*trace.tensors.producer[behind[trace.tensors.requires_grad[behind].astype(bool)]].tolist()} - {-1}
    return f"{quantity(len(nodes), 'operation')}, {size_text(int(trace.held_bytes[-1]))} of saved numbers"


def _error(trace: Trace) -> str:
    return str(trace.errors.last_line[0]) if len(trace.errors) else ""


def written() -> str:
    """The file."""
    return json.dumps(mistakes(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
