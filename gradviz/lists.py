"""Counts, sizes, durations and lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def quantity(count: float, noun: str) -> str:
    """ "1 step", "0 steps", "1,200 steps"; for nouns whose plural only adds an s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def size_text(nbytes: int) -> str:
    """A number of bytes in everyday units."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if nbytes >= size:
            return f"{nbytes / size:.1f} {unit}"
    return f"{nbytes} B"


def time_text(seconds: float) -> str:
    """A duration in everyday units."""
    if seconds >= 120:
        return f"{seconds / 60:.1f} min"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
