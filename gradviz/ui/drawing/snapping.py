"""Where things come to rest that are moved: on the middle line of another node, else on a grid. Plain numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gradviz.document.drawing import Drawing
from gradviz.document.shaping.places import with_members

GRID = 10.0  # world units between two places of rest
REACH = 7.0  # pixels from which a middle line attracts

Place = tuple[float, float]


@dataclass(frozen=True)
class Guide:
    """A line through the middles of what moves and what it is in line with: at this x, or at this y, from and to."""

    upright: bool
    at: float
    begin: float
    end: float


@dataclass(frozen=True)
class Snapped:
    """How far it goes, and the lines that say why."""

    dx: float
    dy: float
    guides: tuple[Guide, ...] = ()


def snap(drawing: Drawing, ids: Iterable[int], held: Place, dx: float, dy: float, scale: float) -> Snapped:
    """The way of what is moved by about dx, dy in the world, at this zoom; `held` is the place of what is dragged."""
    moving = with_members(drawing, ids)
    mine = [(node.x, node.y) for node in drawing.nodes if node.id in moving] or [held]
    others = [(node.x, node.y) for node in drawing.nodes if node.id not in moving]
    reach = REACH / scale
    across = _line([place[0] for place in mine], [place[0] for place in others], dx, reach)
    down = _line([place[1] for place in mine], [place[1] for place in others], dy, reach)
    far_x = across if across is not None else round((held[0] + dx) / GRID) * GRID - held[0]
    far_y = down if down is not None else round((held[1] + dy) / GRID) * GRID - held[1]
    moved = [(x + far_x, y + far_y) for x, y in mine]
    guides = _guides(moved, others, 0, across is not None) + _guides(moved, others, 1, down is not None)
    return Snapped(far_x, far_y, guides)


def _line(mine: list[float], others: list[float], way: float, reach: float) -> float | None:
    """The way to the nearest line that another one is on; None if there is none near."""
    ways = [(abs(other - one - way), other - one) for one in mine for other in others]
    best = min(ways, default=None)
    return best[1] if best is not None and best[0] <= reach else None


def _guides(moved: list[Place], others: list[Place], axis: int, wanted: bool) -> tuple[Guide, ...]:
    if not wanted:
        return ()
    found = []
    for line in sorted({place[axis] for place in moved}):
        inline = [place[1 - axis] for place in others if abs(place[axis] - line) < 0.01]
        if inline:
            ends = inline + [place[1 - axis] for place in moved if place[axis] == line]
            found.append(Guide(axis == 0, line, min(ends), max(ends)))
    return tuple(found)
