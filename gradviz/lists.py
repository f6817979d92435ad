"""Counts and lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def quantity(count: float, noun: str) -> str:
    """ "1 step", "0 steps", "1,200 steps"; for nouns whose plural only adds an s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
