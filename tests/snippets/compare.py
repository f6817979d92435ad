"""Compare what a snippet did with what PyTorch did: the same, close, or different.

Close means: the text around the numbers is the same to the character, every integer is equal, and each floating-point
number is within RELATIVE of PyTorch's, or off by one in the last digit that was printed. Whoever uses `compare` must say
what he does with a close result; it never counts as the same.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from tests.python_text import in_this_python, in_words_of_3_11

RELATIVE = 1e-4
# A floating-point number has a point or an exponent. Trailing zeros and padding belong to it, so that "0.10" against "0.1" differs.
FLOAT = re.compile(r"[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+)", re.IGNORECASE)


def _step(text: str) -> float:
    """One in the last printed digit."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(10.0 ** (int(exponent or 0) - decimals))


def close(ours: str, theirs: str) -> bool:
    """Whether two texts agree but for the last digits of their floating-point numbers."""
    if FLOAT.sub("#", ours).split() != FLOAT.sub("#", theirs).split():
        return False
    for mine, yours in zip(FLOAT.findall(ours), FLOAT.findall(theirs), strict=True):
        difference = abs(float(mine) - float(yours))
        if difference > RELATIVE * abs(float(yours)) and difference > 1.001 * _step(yours):
            return False
    return True


def compare(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str]:
    """("same" | "close" | "different", the first difference as two lines)."""
    verdict, difference = "same", ""
    mine = [in_words_of_3_11(line) for line in ours["stdout"]]
    yours = in_this_python("\n".join(theirs["stdout"])).split("\n") if theirs["stdout"] else []
    for part, left, right in (
        ("error", ours["error"] or "no error", theirs["error"] or "no error"),
        *(("printed", a, b) for a, b in itertools.zip_longest(mine, yours, fillvalue="<end of output>")),
        ("warnings", repr(ours["warnings"]), repr(theirs["warnings"])),
    ):
        if left == right:
            continue
        if part != "warnings" and close(left, right):
            verdict, difference = "close", difference or f"gradviz {part}: {left}\npytorch {part}: {right}"
            continue
        return "different", f"gradviz {part}: {left}\npytorch {part}: {right}"
    return verdict, difference
