"""Which iterations of a training somebody wants recorded, as a text that is typed: "first:20, every:10". It loads
nothing, since the settings are read with it before the first paint. Next: `gaps`, what happens with the others."""

from __future__ import annotations

from dataclasses import dataclass

EXAMPLES = "first:20, every:10, last:5, 7 or 100-102"


@dataclass(frozen=True)
class Choice:
    """Which iterations are recorded, counted from 0: the first ones, every so many, the last ones, those in a range."""

    first: int = 0
    every: int = 0
    last: int = 0
    ranges: tuple[tuple[int, int], ...] = ()  # both ends are in it

    @classmethod
    def of(cls, text: str) -> Choice:
        """What a text asks for, "first:20, every:10, last:5, 7, 100-102" or some of these; raises ValueError."""
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
        """Whether an iteration is recorded after which there are `left`, -1 where nobody knows."""
        return (
            index < self.first
            or (self.every > 0 and index % self.every == 0)
            or 0 <= left < self.last
            or any(low <= index <= high for low, high in self.ranges)
        )

    def most(self, index: int, left: int) -> int:
        """How many of the `left` iterations after one it takes at most."""
        found = max(0, self.first - index - 1) + (left // self.every if self.every else 0) + self.last
        found += sum(max(0, min(high, index + left) - max(low, index + 1) + 1) for low, high in self.ranges)
        return min(found, left)


def is_choice(text: str) -> bool:
    """Whether iterations are chosen by this text; "" chooses all that fit."""
    try:
        return not text or bool(Choice.of(text))
    except ValueError:
        return False


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
