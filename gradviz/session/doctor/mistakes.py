"""The pages of common mistakes: for each lesson a broken snippet, the symptom, the reason, and the fix. They are found
by words, or by the text of an error as PyTorch prints it. `make docs` makes their file from the doctor's own cases."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from gradviz import RESOURCES

FILE = RESOURCES / "mistakes.json"
SENTENCE = 5  # words from which on a query may be an error message


@dataclass(frozen=True)
class Mistake:
    """One page. `error` is the last line of the traceback, "" if nothing is raised; `patterns` match the messages of
    the errors that it may be about, `symptoms` are what people say where there is none."""

    id: str
    title: str
    patterns: Sequence[str]
    symptoms: str
    broken: str
    fixed: str
    error: str
    prints: str
    should_print: str
    keeps: str  # what is still there at the end, if that is all that differs
    should_keep: str
    explanation: str
    advice: str

    @property
    def text(self) -> str:
        """All its words."""
        return " ".join((self.id, self.title, self.error, self.explanation, self.advice, self.symptoms, self.broken))

    def changed(self) -> list[tuple[str, str]]:
        """Return the lines of both snippets, each with " ", "-" if it is only in the broken one or "+" if only in the
        fixed one."""
        lines = difflib.ndiff(self.broken.splitlines(), self.fixed.splitlines())
        return [(line[0], line[2:]) for line in lines if line[0] in " -+"]


@cache
def mistakes() -> tuple[Mistake, ...]:
    """Return all pages, in the order in which they are taught."""
    return tuple(Mistake(**each) for each in json.loads(FILE.read_text(encoding="utf-8")))


def found(query: str) -> list[Mistake]:
    """Return the pages that a query means: the error that it quotes, the lesson whose id it is, otherwise those that
    contain all of its words, in their title or symptoms first; for a longer text, such as a question, those with most
    of them."""
    words = set(re.findall(r"[\w.]+", query.lower()))
    is_error = len(words) >= SENTENCE or re.search(r"\w(Error|Warning)\b", query) is not None
    messages = re.findall(r"\w(?:Error|Warning): ((?:.|\n)*)", query)
    said = [query, *messages] if is_error else []
    quoted = [each for each in mistakes() if any(re.search(one, text) for one in each.patterns for text in said)]
    named = [each for each in mistakes() if each.id == query.strip()]
    if quoted or named or not words:
        return quoted or named or list(mistakes())
    if messages:  # another error, of which there is no page
        return []
    shares = {each.id: sum(word in each.text.lower() for word in words) / len(words) for each in mistakes()}
    if 1.0 in shares.values() or len(words) < 4:
        whole = [each for each in mistakes() if shares[each.id] == 1.0]
        places = [(each.title.lower(), each.symptoms.lower()) for each in whole]
        fits = [[-sum(word in text for word in words) for text in texts] for texts in places]
        return [whole[at] for at in sorted(range(len(whole)), key=fits.__getitem__)]
    best = max(shares.values())
    return [each for each in mistakes() if shares[each.id] == best and best > 0.5]
