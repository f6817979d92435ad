"""Programs as learners write them, each with one mistake and its place, most with a twin that is right: written by
somebody who did not know how mistakes are found. They are data like `cases.txt`, but what comes after `---` is a right
program of the same kind, not the text of the first fix."""

from __future__ import annotations

import pytest

from tests.doctor.cases import Broken, read
from tests.doctor.test_lessons import examined, places, printed, run

LEARNERS = read("learners.txt")
MISSED = (  # what is not found, or elsewhere
    "vanishing-2",  # every recurrent network forgets
    "graph-kept-6",  # a program without any backward()
)
WITHOUT_FIX = """
    grad-none-not-reached-1 grad-none-not-reached-3 grad-none-not-reached-4 cut-by-item-2 non-leaf-grad-3
    grad-none-copied-5 matmul-shapes-3 matmul-shapes-4 unregistered-parameter-5 same-batch-3
""".split()
HALF_MENDED = ["nan-born-1"]  # the next line makes an infinity of its own
OTHERWISE = """
    backward-twice-1 backward-twice-7 freed-buffer-1 saved-overwritten-2 nan-born-2 nan-born-4 nan-born-5 nan-born-6
    vanishing-1 vanishing-3 exploding-2 exploding-5 dead-relu-1 lr-too-large-1 lr-too-large-2 lr-too-large-4
    lr-too-large-5 lr-too-small-1 lr-too-small-2 lr-too-small-3 lr-too-small-4 equal-weights-2 equal-weights-3
    same-batch-1 same-batch-4 grad-none-rebound-5 grad-none-copied-4 softmax-before-ce-3 sigmoid-before-bce-3
    unused-input-3 unused-input-4
""".split()  # fixed in another way than the twin
FOUND = [case for case in LEARNERS if case.name not in MISSED]
MENDED = [case for case in FOUND if case.name not in [*WITHOUT_FIX, *HALF_MENDED]]
AS_TWIN = [case for case in MENDED if case.fixes and case.name not in OTHERWISE]


@pytest.mark.parametrize("case", LEARNERS, ids=[case.name for case in LEARNERS])
def test_a_mistake_is_told_first_its_first_fix_runs_clean_and_the_twin_triggers_nothing(case: Broken) -> None:
    findings = examined(case.text)
    assert (places(findings)[:1] == [(case.id, case.line)]) == (case.name not in MISSED), places(findings)
    mended = findings[0].fixes[0].text if case in MENDED else ""
    for right in (mended, *case.fixes):
        assert (run(right).errors.message.tolist(), places(examined(right))) == ([], [])
    assert case not in AS_TWIN or printed(run(mended)) == printed(run(case.fixed))


def test_a_history_that_is_cut_off_is_found_in_a_long_run_as_well() -> None:
    case = next(case for case in LEARNERS if case.name == "grad-none-detached-1")
    text = case.text.replace("range(5)", "range(600)").replace("    print(epoch, loss.item())\n", "")
    assert places(examined(text)) == [(case.id, case.line)]
