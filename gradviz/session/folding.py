"""What of the graph is folded: which groups (modules, loops, functions) the user opened or closed, and how far the rest
is open. Groups are named by keys that stay the same from run to run. The groups themselves, and which of them are open
where the user did not say, are made by the canvas."""

from __future__ import annotations

from dataclasses import dataclass, replace

EVERYTHING = 1_000_000  # a level that no graph reaches
DIRECT_USES = 8  # a leaf with more uses gets tags
DIRECT_USES_CHOICES = (1, 3, 8, 20, 100)


@dataclass(frozen=True)
class Folding:
    """`level`: groups nested less deep are open, None: so many that the graph can be read. `opened`, `closed`: what the
    user chose since. `tagged`, `linked`: leaves, by name, that have tags at every further use, or edges to all."""

    level: int | None = None
    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    tagged: frozenset[str] = frozenset()
    linked: frozenset[str] = frozenset()

    def at_level(self, level: int | None) -> Folding:
        """Everything folded to one level; what was chosen group by group is forgotten."""
        return Folding(level, tagged=self.tagged, linked=self.linked)

    def with_open(self, keys: frozenset[str]) -> Folding:
        """With these groups open."""
        return replace(self, opened=self.opened | keys, closed=self.closed - keys)

    def with_closed(self, keys: frozenset[str]) -> Folding:
        """With these groups closed."""
        return replace(self, opened=self.opened - keys, closed=self.closed | keys)

    def with_references(self, leaf: str, way: str) -> Folding:
        """A leaf with "tags" at its uses, "edges" to them, or as the number of its uses says."""
        tagged, linked = self.tagged - {leaf}, self.linked - {leaf}
        if way == "tags":
            tagged |= {leaf}
        elif way == "edges":
            linked |= {leaf}
        return replace(self, tagged=tagged, linked=linked)


@dataclass(frozen=True)
class Presentation:
    """How the graph is wanted: folded so, from left to right or from top to bottom, with tags for leaves that have more
    uses than `direct_uses`."""

    folding: Folding = Folding()
    vertical: bool = False
    direct_uses: int = DIRECT_USES
