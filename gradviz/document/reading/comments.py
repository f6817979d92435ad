"""The comments of code: a drawing has none but its own, which say what can't run yet. `parse` names the lines of the
others."""

from __future__ import annotations

import io
import tokenize

OWN = "# not yet: "
MOST = 3  # lines that are named


def sentence(text: str) -> str:
    """Which lines have a comment that a drawing will not have; "" for none."""
    lines = _lines(text)
    if not lines:
        return ""
    if len(lines) == 1:
        return f"Line {lines[0]}: a comment is no part of a drawing."
    named = [str(line) for line in lines[:MOST]]
    last = f"{len(lines) - MOST} more" if len(lines) > MOST else named.pop()
    return f"Lines {', '.join(named)} and {last}: comments are no part of a drawing."


def _lines(text: str) -> list[int]:
    """The lines with a comment, from 1; of code that Python can read."""
    if all(line.startswith(OWN) for line in text.splitlines() if "#" in line):
        return []
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and not token.string.startswith(OWN):
                found.append(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        return found
    return found
