"""The pages of common mistakes: of each lesson a broken snippet, what one sees, why, and how it is put right. They are
found by words, or by the text of an error as PyTorch prints it. `make docs` makes their file from the doctor's own
cases."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from gradviz import RESOURCES

FILE = RESOURCES / "mistakes.json"
SENTENCE = 5  # words from which on a query may be the message of an error


@dataclass(frozen=True)
class Mistake:
    """One page. `error` is the last line of the traceback, "" where nothing is raised; `patterns` fit the messages
    of the errors that it may be about."""

    id: str
    title: str
    patterns: Sequence[str]
    broken: str
    fixed: str
    error: str
    prints: str
    should_print: str
    explanation: str
    advice: str

    @property
    def text(self) -> str:
        """All its words."""
        return " ".join((self.id, self.title, self.error, self.explanation, self.advice, self.broken))

    def changed(self) -> list[tuple[str, str]]:
        """The lines of both snippets, each with " ", "-" where the broken one has it or "+" where the fixed one has."""
        lines = difflib.ndiff(self.broken.splitlines(), self.fixed.splitlines())
        return [(line[0], line[2:]) for line in lines if line[0] in " -+"]


@cache
def mistakes() -> tuple[Mistake, ...]:
    """All, in the order of the lessons."""
    return tuple(Mistake(**each) for each in json.loads(FILE.read_text(encoding="utf-8")))


def found(query: str) -> list[Mistake]:
    """Those that a query means: the error that it quotes, the lesson whose id it is, else those that have all of its
    words; of a longer text, such as a traceback, those that have most of them."""
    words = set(re.findall(r"[\w.]+", query.lower()))
    is_error = len(words) >= SENTENCE or re.search(r"\w(Error|Warning)\b", query) is not None
    quoted = [each for each in mistakes() if is_error and any(re.search(one, query) for one in each.patterns)]
    named = [each for each in mistakes() if each.id == query.strip()]
    if quoted or named or not words:
        return quoted or named or list(mistakes())
    shares = {each.id: sum(word in each.text.lower() for word in words) / len(words) for each in mistakes()}
    if 1.0 in shares.values() or len(words) < 4:
        return [each for each in mistakes() if shares[each.id] == 1.0]
    best = max(shares.values())
    return [each for each in mistakes() if shares[each.id] == best and best > 0.5]
