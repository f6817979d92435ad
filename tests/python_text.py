"""What PyTorch printed was recorded on Python 3.11. Where a newer Python itself prints a thing differently, texts are
put into the words of one of them before they are compared."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

ORDERED = "OrderedDict(["
# A sentence of Python 3.13, and what 3.11 says.
SENTENCES = {
    " and no __dict__ for setting new attributes": "",
    "iterable argument is empty": "arg is an empty sequence",
}


def in_this_python(recorded: str) -> str:
    """The text as this Python prints it: an `OrderedDict` shows a dict instead of pairs since 3.12."""
    return recorded if sys.version_info < (3, 12) else with_dicts(recorded)


def in_words_of_3_11(printed: str) -> str:
    """What this Python printed, with the older sentences."""
    for newer, older in SENTENCES.items():
        printed = printed.replace(newer, older)
    return printed


def with_dicts(text: str) -> str:
    """Each `OrderedDict([(key, value), …])` of the text as `OrderedDict({key: value, …})`, over several lines, too."""
    before, found, after = text.partition(ORDERED)
    if not found:
        return text
    pairs = list(_parts(after))
    rest = after[sum(len(pair) + 2 for pair in pairs) - 2 * bool(pairs) :]  # without ", " behind the last one
    items = [": ".join((key, ", ".join(value))) for key, *value in (_parts(with_dicts(pair)[1:]) for pair in pairs)]
    return f"{before}OrderedDict({{{', '.join(items)}}}){with_dicts(rest.removeprefix('])'))}"


def _parts(text: str) -> Iterator[str]:
    """What stands between commas up to the bracket that closes; a quoted text is no bracket and has no comma."""
    depth, begin = 0, 0
    for found in re.finditer(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[\[({]|[])}]|, ", text):
        sign = found[0]
        if sign in "[({":
            depth += 1
        elif (sign == ", " or sign in "])}") and depth == 0:
            if found.start() > begin:
                yield text[begin : found.start()]
            begin = found.end()
            if sign != ", ":
                return
        elif sign in "])}":
            depth -= 1
