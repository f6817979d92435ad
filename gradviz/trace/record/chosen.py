"""The choice of recorded iterations as typed text: "first:20, every:10". This module imports nothing, because stored
settings are checked with it. Next: `gaps`, which handles the other iterations."""

from __future__ import annotations

from dataclasses import dataclass

EXAMPLES = "first:20, every:10, last:5, 7 or 100-102"


@dataclass(frozen=True)
class Choice:
    """Which iterations are recorded, counted from 0: the first ones, every n-th, the last ones, those in a range."""

    first: int = 0
    every: int = 0
    last: int = 0
    ranges: tuple[tuple[int, int], ...] = ()  # inclusive

    @classmethod
    def of(cls, text: str) -> Choice:
        """Parse "first:20, every:10, last:5, 7, 100-102" or any part of it; raises ValueError."""
        words, ranges = {"first": 0, "every": 0, "last": 0}, []
        for part in (each.strip() for each in text.split(",")):
            word, colon, number = part.partition(":")
            low, dash, high = part.partition("-")
            high = high if dash else low
            if colon and word in words and _is_number(number) and int(number) > 0:
                words[word] = int(number)
            elif _is_number(low) and _is_number(high) and int(low) <= int(high):
                ranges.append((int(low), int(high)))
            else:
                raise ValueError(f"{part!r} names no iterations; {EXAMPLES} do, also several with commas between them")
        return cls(**words, ranges=tuple(ranges))

    def takes(self, index: int, left: int = -1) -> bool:
        """Whether an iteration followed by `left` others is recorded; `left` is -1 if unknown."""
        return (
            index < self.first
            or (self.every > 0 and index % self.every == 0)
            or 0 <= left < self.last
            or any(low <= index <= high for low, high in self.ranges)
        )

    def most(self, index: int, left: int) -> int:
        """How many of the `left` iterations after one are recorded at most."""
        found = max(0, self.first - index - 1) + (left // self.every if self.every else 0) + self.last
        found += sum(max(0, min(high, index + left) - max(low, index + 1) + 1) for low, high in self.ranges)
        return min(found, left)


def is_choice(text: str) -> bool:
    """Whether this text chooses iterations; "" chooses as many as fit."""
    try:
        return not text or bool(Choice.of(text))
    except ValueError:
        return False


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
