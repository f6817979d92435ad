"""Where the program is while it runs: the modules, functions, loops and iterations that it is in, innermost last.
`instrument.py` makes the snippet push, count and pop by itself; a region gets its row in the trace when the first
operation runs in it (see Note [Order of regions] in `regions.py`).

Note [The stack of regions] One flat list, so that instrumented code needs no call that shows in a traceback or takes
a frame of the recursion limit: a function is entered by `stack[the end:] = a constant` and left by `del
stack[-WIDTH:]`, an iteration begins by `stack[COUNT] += 1; stack[ROW] = UNKNOWN`. The last element is always the row of
the innermost region, so the recorder reads its place from there. A region in which a leaf was made or anything else
happened before its first operation has no row yet, but its first step: ROW is then `BEGUN - step`.
"""

from __future__ import annotations

from typing import Any

from gradviz.trace.encoding import PACK, Writer
from gradviz.trace.regions import RegionKind
from gradviz.trace.sites import Place, Sites

# Fields of an entry, counted from the top of the stack.
WIDTH = 8
KIND, NAME, PLACE, LOOP, VARIABLE, VALUE, COUNT, ROW = range(-WIDTH, 0)
UNKNOWN = -2  # in ROW: nothing has happened there yet
BEGUN = -3  # in ROW: no operation has run there yet, but step BEGUN - ROW was there
BEFORE = -1  # in COUNT: no iteration is going on
LONGEST = 40  # characters of a name
_MOST = 1 << 63  # numbers beyond this size have too many digits to be read

_pack = PACK["regions"]
_MODULE, _LOOP, _ITERATION = int(RegionKind.MODULE), int(RegionKind.LOOP), int(RegionKind.ITERATION)


def entry(kind: RegionKind, name: str, place: Place) -> tuple[Any, ...]:
    """What is pushed when a region is entered."""
    return (int(kind), name, place, UNKNOWN, "", None, BEFORE, UNKNOWN)


class RegionStack:
    """The stack of one run, and the rows of `regions`."""

    def __init__(self, writer: Writer, sites: Sites) -> None:
        self._writer = writer
        self._sites = sites
        self.stack: list[Any] = [None] * (WIDTH - 1) + [-1]
        self._modules: list[int] = []  # how high the stack was when they were entered
        self._places: dict[Place, tuple[int, int]] = {}
        self._rows = writer.rows["regions"]
        self._count = 0

    def enter(self, name: str) -> None:
        """A module is called."""
        self._modules.append(len(self.stack))
        self.stack += (_MODULE, name, self._sites.here(2), UNKNOWN, "", None, BEFORE, UNKNOWN)

    def exit(self) -> None:
        """The call that was entered last is over, and whatever began in it."""
        del self.stack[self._modules.pop() :]

    def begin(self, step: int) -> None:
        """A step begins what nothing has happened in before."""
        stack = self.stack
        at = len(stack)
        while stack[at + ROW] == UNKNOWN:
            stack[at + ROW] = BEGUN - step
            if stack[at + LOOP] == UNKNOWN:
                stack[at + LOOP] = BEGUN - step
            at -= WIDTH

    def row(self, step: int) -> int:
        """The row of the innermost region, in which `step` is; it is made now if it is not there."""
        self.begin(step)
        stack = self.stack
        at = len(stack)
        while stack[at + ROW] <= BEGUN:
            at -= WIDTH
        while at < len(stack):
            parent = stack[at + ROW]
            at += WIDTH
            stack[at + ROW] = self._add(at, parent)
        found: int = stack[ROW]
        return found

    def _add(self, at: int, parent: int) -> int:
        """A row for the entry that ends at `at`: for a loop also one for its iteration."""
        stack = self.stack
        kind, place, step = stack[at + KIND], stack[at + PLACE], BEGUN - stack[at + ROW]
        if kind == _MODULE:
            return self._write(step, parent, kind, self._writer.text(stack[at + NAME]), place, 0)
        site, name = self._places.get(place) or self._place(place, stack[at + NAME])
        if kind != _LOOP:
            return self._write(step, parent, kind, name, site, 0)
        loop: int = stack[at + LOOP]
        if loop <= BEGUN:
            loop = stack[at + LOOP] = self._write(BEGUN - loop, parent, kind, name, site, 0)
        count = stack[at + COUNT]
        if count == BEFORE:
            return loop
        called = self._writer.text(_iteration(count, stack[at + VARIABLE], stack[at + VALUE]))
        return self._write(step, loop, _ITERATION, called, site, count)

    def _write(self, step: int, parent: int, kind: int, name: int, site: int, index: int) -> int:
        row = self._count
        self._count = row + 1
        self._rows += _pack(step, parent, kind, name, site, index)
        return row

    def _place(self, place: Place, name: str) -> tuple[int, int]:
        """The site of a function or loop, and the text that it is called: a loop is called after its source."""
        site, source = self._sites.at(place)
        found = self._places[place] = (site, self._writer.text(name or shortened(source)))
        return found


def _iteration(count: int, variable: str, value: object) -> str:
    """The name of an iteration: "t = 3"."""
    if value is None or (type(value) is int and not -_MOST < value < _MOST):
        return f"iteration {count}"
    text = repr(value[: LONGEST + 1]) if type(value) is str else repr(value)
    return shortened(f"{variable} = {text}")


def shortened(name: str) -> str:
    """A name cut to what fits in a title."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
