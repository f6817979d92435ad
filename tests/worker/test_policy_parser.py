"""The policy's parser answers every text with a sentence or with Python's SyntaxError: what fuzzing found otherwise."""

from __future__ import annotations

import pytest

from gradviz.worker.policy import Refusal, compile_snippet


def refusal(text: str) -> str:
    with pytest.raises(Refusal) as found:
        compile_snippet(text, "snippet.py", {"torch"})
    return found.value.sentence


@pytest.mark.parametrize(
    "pattern",
    ["x._y", "x.format", "a._b.c", "x._y()", "x.y | x.reshape", "float(reshape=f)", "x.format(grad=y)", "{x._y: 1}"],
)
def test_a_pattern_with_a_name_that_is_read_through_a_hook(pattern: str) -> None:
    sentence = refusal(f"x = 1\nmatch x:\n    case {pattern}:\n        pass\n")
    assert sentence.startswith("line 3: ") and "can't be used in a " in sentence


def test_dotted_names_in_patterns_stay() -> None:
    compile_snippet("match x:\n    case x.y | a.b.c(z=1) | {a.b: 1}:\n        pass\n", "snippet.py", ())


@pytest.mark.parametrize(
    "text", ["-" * 5_000 + "1", "x" + ".a" * 5_000, "x = " + "not " * 3_000 + "1", "x" + "()" * 5_000]
)
def test_code_that_is_nested_too_deeply_for_python(text: str) -> None:
    assert "nested too deeply" in refusal(text)


@pytest.mark.parametrize("text", ["x = '\ud800'", "\udcff", "# \udfff\nx = 1"])
def test_half_a_character(text: str) -> None:
    assert "a character in the snippet that is no text" in refusal(text)
