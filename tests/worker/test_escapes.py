"""No snippet of `escapes.py` gets out, and each is told so: refused before it runs, or stopped by an error of its
own."""

from __future__ import annotations

import re

import pytest

from tests.worker.conftest import Runner
from tests.worker.escapes import ESCAPES


@pytest.mark.parametrize("name", ESCAPES)
def test_escape_is_contained(run: Runner, name: str) -> None:
    outcome = run(ESCAPES[name])
    assert "ESCAPED" not in outcome.printed()
    assert outcome.status in ("refused", "raised"), outcome
    assert outcome.sentence
    for fence in ("Operation not permitted", "not available in GradViz snippets: "):  # the kernel's, the audit hook's
        assert fence not in outcome.sentence, "the language alone contains it"


@pytest.mark.parametrize(
    ("source", "line", "way_round"),
    [
        ("def f():\n    return compile('1')\n", 2, "write the code"),
        ("class A:\n    x: int\n    def __reduce__(self): pass\n", 3, "belong to Python"),
        ("async def f(): pass\n", 1, "plain functions"),
        ("from ctypes import *\n", 1, "leave it out"),
    ],
)
def test_a_refusal_names_the_line_and_the_way_round(run: Runner, source: str, line: int, way_round: str) -> None:
    outcome = run(source)
    assert outcome.status == "refused"
    assert outcome.done.detail.line == line
    assert outcome.sentence.startswith(f"line {line}: ")
    assert way_round in outcome.sentence
    assert re.fullmatch(r"[^\n]+\.", outcome.sentence), "one sentence"
    assert not outcome.printed(), "nothing ran"


def test_a_name_that_hides_a_builtin_is_no_refusal(run: Runner) -> None:
    outcome = run("input = [1, 2]\ndef f(open): return open\nvars = 3\nprint(input, f(4), vars)\n")
    assert (outcome.status, outcome.printed()) == ("ok", "[1, 2] 4 3\n")
