"""How the graph is folded: which groups (modules, loops, functions) the user opened or closed, and to which level the
rest is open. Groups have keys that stay the same from run to run. The canvas makes the groups and decides which are
open where the user has not."""

from __future__ import annotations

from dataclasses import dataclass, replace

EVERYTHING = 1_000_000  # a level that no graph reaches
DIRECT_USES = 8  # a leaf with more uses gets tags
DIRECT_USES_CHOICES = (1, 3, 8, 20, 100)


@dataclass(frozen=True)
class Folding:
    """`level`: groups nested less deeply are open; None: as many as can be read. `opened`, `closed`: the user's choices
    since. `tagged`, `linked`: leaves, by name, with tags at all further uses, or with edges to all of them."""

    level: int | None = None
    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    tagged: frozenset[str] = frozenset()
    linked: frozenset[str] = frozenset()

    def at_level(self, level: int | None) -> Folding:
        """Everything folded to one level, dropping individual choices."""
        return Folding(level, tagged=self.tagged, linked=self.linked)

    def with_open(self, keys: frozenset[str]) -> Folding:
        """With these groups open."""
        return replace(self, opened=self.opened | keys, closed=self.closed - keys)

    def with_closed(self, keys: frozenset[str]) -> Folding:
        """With these groups closed."""
        return replace(self, opened=self.opened - keys, closed=self.closed | keys)

    def with_references(self, leaf: str, way: str) -> Folding:
        """A leaf with "tags" at its uses, "edges" to them, or whichever fits its number of uses."""
        tagged, linked = self.tagged - {leaf}, self.linked - {leaf}
        if way == "tags":
            tagged |= {leaf}
        elif way == "edges":
            linked |= {leaf}
        return replace(self, tagged=tagged, linked=linked)


@dataclass(frozen=True)
class Presentation:
    """How the graph is presented: its folding, its direction (left to right or top to bottom), and tags for leaves with
    more uses than `direct_uses`."""

    folding: Folding = Folding()
    vertical: bool = False
    direct_uses: int = DIRECT_USES
