"""File names as they can stand in a sentence, a title or a menu. A name may come from a stranger: it may hold line
ends, letters that turn the direction of the text and so hide how it ends, and be as long as the system allows."""

from __future__ import annotations

LONGEST = 60  # characters; whoever shares a name chooses it, and the end of a sentence says what to do


def printable(name: str) -> str:
    """The name with a sign in the place of what would not be seen."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)


def shown(name: str, longest: int = LONGEST) -> str:
    """The name, printable and cut in its middle: what it ends in is always seen."""
    plain = printable(name)
    return plain if len(plain) <= longest else f"{plain[: longest // 2]}…{plain[-longest // 2 + 1 :]}"
