"""What PyTorch printed was recorded on Python 3.11. Where a newer Python itself prints a thing differently, the
recorded text is put into its words before it is compared."""

from __future__ import annotations

import re
import sys

ORDERED = re.compile(r"OrderedDict\(\[(\(.*\))\]\)")
PAIR = re.compile(r"\(('[^']*'), (.*?\))\)(?:, (?=\(')|$)")


def in_this_python(recorded: str) -> str:
    """The text as this Python prints it: an `OrderedDict` shows a dict instead of pairs since 3.12."""
    if sys.version_info < (3, 12):
        return recorded
    return ORDERED.sub(lambda found: "OrderedDict({" + ", ".join(_items(found[1])) + "})", recorded)


def _items(pairs: str) -> list[str]:
    return [f"{name}: {value}" for name, value in PAIR.findall(pairs)]
