"""Broken snippets with their lessons, and how they are meant: read from `cases.txt`. Standard library only, so that the
Python that has PyTorch reads them, too (`record.py`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Broken:
    """A snippet with one mistake."""

    id: str
    line: int
    text: str
    fixes: tuple[str, ...]  # the snippets that are right, the first the one that is taught
    number: int

    @property
    def fixed(self) -> str:
        """What the snippet is meant to be."""
        return self.fixes[0]

    @property
    def name(self) -> str:
        return f"{self.id}-{self.number}"


def read(name: str) -> list[Broken]:
    """The snippets of a file."""
    found: list[Broken] = []
    parts = re.split(r"^=== (\S+) (\d+)\n", (HERE / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for id, line, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        text, *fixes = body.split("---\n")
        found.append(Broken(id, int(line), text, tuple(fixes), sum(each.id == id for each in found) + 1))
    return found


CASES = read("cases.txt")
CONFUSIONS = read("confusions.txt")  # what is met most; "none": right as it is
