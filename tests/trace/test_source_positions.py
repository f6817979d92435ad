"""Places of a snippet are found without reading it from its first line."""

from __future__ import annotations

from types import CodeType
from typing import cast

from gradviz.trace.record.location import Sites, text_at
from gradviz.trace.table.encoding import Writer

SOURCE = "a = 1\nb = a + 1\n"


class _Frame:
    """A frame of a snippet that counts how often its line is asked for: Python looks for it from the first line."""

    def __init__(self, code: CodeType, instruction: int) -> None:
        self.f_code, self.f_lasti = code, instruction
        self.asked = 0

    @property
    def f_lineno(self) -> int:
        self.asked += 1
        return 2


def _found(instruction: int) -> tuple[int, _Frame]:
    sites = Sites(Writer(), SOURCE, "<snippet>")
    frame = _Frame(compile(SOURCE, "<snippet>", "exec"), instruction)
    return sites._of(cast("object", frame), frame.f_code, instruction), frame  # type: ignore[arg-type]


def test_the_place_of_an_instruction_is_known_without_its_frame() -> None:
    code = compile(SOURCE, "<snippet>", "exec")
    site, frame = _found(2 * (len(list(code.co_positions())) - 1))
    assert (site, frame.asked) == (0, 0)


def test_before_the_first_instruction_only_the_frame_knows_the_line() -> None:
    site, frame = _found(-1)
    assert (site, frame.asked) == (0, 1)


def test_what_the_head_of_a_loop_does_is_placed_at_its_head() -> None:
    text = "for x, y in rows[1:2]:  # as: it is\n    use(x)\nwith (\n    a):\n    b = 1\nc = [\n  2]"
    lines = text.splitlines()
    assert text_at(lines, (1, 2, 0, 10)) == ((1, 0, 1, 21), "for x, y in rows[1:2]")
    assert text_at(lines, (3, 5, 0, 9)) == ((3, 0, 5, 9), "with ( a): b = 1"), "a head of several lines stays as it is"
    assert text_at(lines, (6, 7, 4, 4)) == ((6, 4, 7, 4), "[ 2]")
