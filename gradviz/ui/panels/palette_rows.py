"""What the palette lists: headings, kinds of leaf and operations, as records without Qt. `palette` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from gradviz.document.catalogue import Entry, catalogue, find
from gradviz.document.leaf_kinds import LEAF_KINDS, LeafKind, leaf_kind
from gradviz.ui.drawing.dropping import LEAF

USED_MOST = 12  # how many stand before the categories
FOUND = 60  # how many are shown for a query
LEAVES, RECENT, MOST = "leaves", "used last", "used most"


@dataclass(frozen=True)
class Row:
    """One line of the palette; a heading has no payload. `payload` is what is dragged and added: the key of an
    operation, or "leaf:" and a kind."""

    name: str
    payload: str = ""
    symbol: str = ""
    brief: str = ""
    category: str = ""
    entry: Entry | None = None

    @property
    def is_heading(self) -> bool:
        """True if it can't be chosen."""
        return not self.payload


def rows(query: str, recent: Sequence[str] = ()) -> tuple[Row, ...]:
    """What is listed for a query: what fits, best first. For none: leaves, what was used last, what people use most,
    and all operations by category."""
    if query.strip():
        return tuple(_leaves_for(query)) + tuple(map(operation_row, find(query, FOUND)))
    last = [row for row in map(_row, recent) if row is not None]
    listed = [Row(LEAVES), *map(_leaf_row, LEAF_KINDS)]
    if last:
        listed += [Row(RECENT), *last]
    return tuple(listed) + _all_operations()


@cache
def _all_operations() -> tuple[Row, ...]:
    listed = [Row(MOST), *map(operation_row, find("", USED_MOST))]
    category = ""
    for entry in catalogue().values():
        if entry.category != category:
            category = entry.category
            listed.append(Row(category))
        listed.append(operation_row(entry))
    return tuple(listed)


def _row(payload: str) -> Row | None:
    """The row of what was added once; None if there is no such thing any more."""
    if payload.startswith(LEAF):
        kind = leaf_kind(payload.removeprefix(LEAF))
        return None if kind is None else _leaf_row(kind)
    entry = catalogue().get(payload)
    return None if entry is None else operation_row(entry)


def _leaf_row(kind: LeafKind) -> Row:
    return Row(kind.title, LEAF + kind.key, kind.symbol, kind.brief, LEAVES)


def _leaves_for(query: str) -> list[Row]:
    """The kinds of leaf with a word that begins so."""
    wanted = query.lower().split()
    found = []
    for kind in LEAF_KINDS:
        words = f"{kind.title} {kind.key} leaf tensor".lower().replace("(", " ").split()
        if all(any(word.startswith(part) for word in words) for part in wanted):
            found.append(_leaf_row(kind))
    return found


@cache
def operation_row(entry: Entry) -> Row:
    """The row of an operation; those of `torch.linalg` are called so, because `torch` has others of the same names."""
    name = entry.key if entry.key.startswith("linalg.") else entry.name
    return Row(name, entry.key, entry.symbol, entry.brief, entry.category, entry)
