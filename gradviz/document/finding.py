"""Looking for an operation by what a person types: a name, a part of one, an operator (`+`), a formula (`x^2`), another
word for it, a name with a slip. The best fit is first, and of equal ones that which people use most."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from gradviz.document.catalogue import Entry, catalogue

FAR = 20  # so much more used, `cross_entropy` is meant by "cross"
_BIG = 1 << 20


@dataclass(frozen=True)
class _Card:
    """What of an entry is compared with the query; `at` is its place among all, those used most first."""

    entry: Entry
    at: int
    name: str
    names: tuple[str, ...]
    parts: tuple[str, ...]
    words: frozenset[str]
    signs: frozenset[str]
    text: str
    all: str  # everything that a query may be a part of


@cache
def _cards() -> tuple[_Card, ...]:
    order = sorted(catalogue().values(), key=lambda entry: -entry.used)
    return tuple(_card(entry, at) for at, entry in enumerate(order))


def _card(entry: Entry, at: int) -> _Card:
    name = entry.name.lower()
    names = {alias.rsplit(".", 1)[-1].lower() for alias in entry.aliases}
    signs = {entry.operator, entry.symbol, *(word for word in entry.words if not word.isalnum())} - {""}
    text = f"{entry.key} {entry.brief} {' '.join(entry.words)} {entry.category}".lower()
    parts = tuple(part for part in re.split(r"[_.\W]+", name) if part)
    words = frozenset(word.lower() for word in entry.words)
    lower = frozenset(map(str.lower, signs))
    initials = "".join(part[0] for part in parts)
    everything = " ".join((name, name.replace("_", ""), initials, *names, *words, *lower, text))
    return _Card(entry, at, name, tuple(sorted(names)), parts, words, lower, text, everything)


def find(query: str, most: int = 30) -> tuple[Entry, ...]:
    """The entries that fit, best first; for nothing typed those that are used most."""
    wanted = _normal(query)
    if not wanted:
        return tuple(card.entry for card in _cards()[:most])
    said = wanted.split()
    likely = [card for card in _cards() if all(word in card.all for word in said)]
    ranked = sorted((rank, card.at) for card in likely if (rank := _rank(wanted, card)) < _BIG)
    if not ranked and len(wanted) > 2:
        ranked = sorted((rank, card.at) for card in _cards() if (rank := _slip(wanted, card)) < _BIG)
    return tuple(_cards()[at].entry for _, at in ranked[:most])


def _normal(query: str) -> str:
    text = " ".join(query.lower().split())
    for start in ("torch.", "nn.functional.", "f.", "tensor.", "x."):
        text = text.removeprefix(start)
    return text.removesuffix("(").removesuffix("()") or query.strip().lower()


def _rank(wanted: str, card: _Card) -> int:
    """0 for the best fit."""
    if wanted in card.signs:
        return 0 if wanted == card.entry.operator else 1
    if wanted == card.name or (wanted == card.parts[0] and card.entry.used > FAR * _used(wanted)):
        return 1
    if wanted in card.words or wanted in card.names:
        return 2
    if card.name.startswith(wanted):
        return 3
    if any(part.startswith(wanted) for part in card.parts):
        return 4
    if any(name.startswith(wanted) for name in (*card.names, *card.words)):
        return 5
    if len(wanted) > 1 and wanted == "".join(part[0] for part in card.parts):
        return 6
    if wanted in card.name or wanted.replace(" ", "") in card.name.replace("_", ""):
        return 7
    if len(wanted) > 2 and all(word in card.text for word in wanted.split()):
        return 8
    return _BIG


@cache
def _used(name: str) -> float:
    """How much that which is called exactly so is used; no bound if nothing is."""
    found = [card.entry.used for card in _cards() if card.name == name]
    return max(found) if found else float("inf")


def _slip(wanted: str, card: _Card) -> int:
    """How many letters are wrong, where that is few."""
    allowed = 1 if len(wanted) < 6 else 2
    letters = set(wanted)
    alike = [name for name in (card.name, *card.names) if len(letters.difference(name)) <= allowed]
    wrong = min((_distance(wanted, name[: len(wanted) + 1], allowed) for name in alike), default=_BIG)
    return wrong if wrong <= allowed else _BIG


def _distance(a: str, b: str, most: int) -> int:
    """Letters put in, left out, changed or swapped with their neighbour; more than `most` is not counted on."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], older[j - 2] + 1)
        if min(row) > most:
            return most + 1
    return row[-1]
