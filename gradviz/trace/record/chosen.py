"""The choice of recorded iterations as typed text, "first:20, every:10", and what a job of PyTorch has in its place if
nobody chose. This module imports nothing, because stored settings are checked with it. Next: `gaps`, which handles the
other iterations."""

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


class Thinning:
    """Which iterations of a job are recorded if nobody chose: all until the recording is long, then every 10th, every
    100th and so on, so that it grows ever more slowly and the job runs ever more freely."""

    STEPS, BYTES = 200_000, 512 << 20  # after which ten times fewer are recorded

    def __init__(self) -> None:
        self.every = 1
        self.whole = 0  # iterations before the first that was left out
        self._steps, self._bytes = self.STEPS, self.BYTES

    def takes(self, iteration: int, steps: int, size: int) -> bool:
        """Whether an iteration is recorded, if the recording has so many steps and bytes before it."""
        if steps >= self._steps or size >= self._bytes:
            self.whole = self.whole or iteration
            self.every *= 10
            self._steps, self._bytes = steps + self.STEPS, size + self.BYTES
        return iteration % self.every == 0

    def told(self) -> str:
        """What was left out, in a sentence; "" if nothing was."""
        if self.every == 1:
            return ""
        return (
            f"It has each of the first {self.whole:,} iterations, then fewer, in the end every {self.every:,}th; "
            "--steps every:1 records all."
        )


def is_choice(text: str) -> bool:
    """Whether this text chooses iterations; "" chooses as many as fit."""
    try:
        return not text or bool(Choice.of(text))
    except ValueError:
        return False


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
