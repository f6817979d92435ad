"""Where the program is while it runs: the modules, functions, loops and iterations around it, innermost last, and the
place in the text, which is that of the nearest frame with the snippet's own code. `instrument.py` makes the snippet
push, count and pop by itself; a region gets its row in the trace when the first operation runs in it (see Note [Order
of regions] in `regions.py`).

Note [The stack of regions] One flat list, so that instrumented code needs no call that would show in a traceback or
take a frame of the recursion limit: a function is entered by `stack[the end:] = a constant` and left by `del
stack[-WIDTH:]`, an iteration begins with `stack[COUNT] += 1; stack[ROW] = UNKNOWN`. The last element is always the row
of the innermost region, so the recorder reads its place from there. A region in which a leaf was made or anything else
happened before its first operation has no row yet, but its first step is known: ROW is then `BEGUN - step`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from traceback import FrameSummary
from types import CodeType, FrameType, TracebackType
from typing import Any

from gradviz.engine.kernel.state import identity
from gradviz.trace.table.encoding import PACK, Writer
from gradviz.trace.table.regions import RegionKind

_getframe = sys._getframe
Place = tuple[int | None, int | None, int | None, int | None]
_OURS = __name__.partition(".")[0] + "."
_HEAD = re.compile(r"(\s*(?:async\s+)?(?:for|while|if|elif|with)\b.*?)\s*:\s*(?:#.*)?")  # of a block, on one line
LONGEST_TEXT = 200  # characters of source text that are kept


class Stack(list[Any]):
    """A list class of its own: the worker changes how assignments to lists of a snippet work, which would cost time and
    a frame of the recursion limit here, at every call and iteration. No snippet can name this class."""

    __slots__ = ()


class Sites:
    """Numbers the places in one snippet. A place is (code object, instruction), which a frame provides cheaply."""

    def __init__(self, writer: Writer, source: str, filename: str) -> None:
        self._writer = writer
        self._lines = source.splitlines()
        self._filename = self.filename = filename
        self._code: CodeType | None = None
        self._known: dict[int, int] = {}
        self._by_code: dict[int, tuple[CodeType, dict[int, int], list[Place]]] = {}
        self._by_place: dict[Place, int] = {}
        self._ours: set[int] = set()  # by identity: the globals of our own modules

    def here(self, depth: int) -> int:
        """The place of the snippet that is running, -1 if there is none; `depth` frames above may be skipped."""
        frame = _getframe()  # a direct import: the audit hook of a worker permits no other
        while depth:
            before = frame.f_back
            if before is None:
                break
            frame, depth = before, depth - 1
        ours = self._ours
        while identity(frame.f_globals) in ours:
            before = frame.f_back
            if before is None:
                return -1
            frame = before
        code = frame.f_code  # a worker's audit hook looks at each read
        if code is not self._code:
            found = self._by_code.get(identity(code))
            if found is None:
                return self._search(frame, code)
            self._code, self._known = found[:2]
        site = self._known.get(frame.f_lasti)
        return self._search(frame, code) if site is None else site

    def at(self, place: Place) -> tuple[int, str]:
        """A place as in Python's code objects (columns in bytes), and the text there."""
        return self._add(place), text_at(self._lines, place)[1]

    def _search(self, start: FrameType, code: CodeType) -> int:
        frame: FrameType | None = start
        while code.co_filename != self._filename:
            assert frame is not None
            self._note_ours(frame.f_globals)
            frame = frame.f_back
            if frame is None:
                return -1
            code = frame.f_code
        assert frame is not None
        return self._of(frame, code, frame.f_lasti)

    def _note_ours(self, names: Mapping[str, Any]) -> None:
        """If these are the globals of one of our modules, skip its frames from now on."""
        name = names.get("__name__")
        if type(name) is str and name.startswith(_OURS) and getattr(sys.modules.get(name), "__dict__", None) is names:
            self._ours.add(identity(names))

    def _of(self, frame: FrameType, code: CodeType, instruction: int) -> int:
        self._code, self._known, positions = self._code_of(code)
        site = self._known.get(instruction)
        if site is None:
            site = self._known[instruction] = self._add(place_in(positions, frame, instruction))
        return site

    def _code_of(self, code: CodeType) -> tuple[CodeType, dict[int, int], list[Place]]:
        """Code of the snippet, the sites in it that are known, and the places of its instructions."""
        entry = self._by_code.get(identity(code))
        if entry is None:  # the code object is kept alive, so that its identity stays unique
            entry = self._by_code[identity(code)] = (code, {}, list(code.co_positions()))
        return entry

    def raised(self, traceback: TracebackType | None) -> tuple[int, list[FrameType]]:
        """The last place of the snippet in a traceback, -1 for none, and the calls below it, from the outermost."""
        site = -1
        below: list[FrameType] = []
        while traceback is not None:
            frame = traceback.tb_frame
            code = frame.f_code
            if code.co_filename == self._filename:
                site, below = self._of(frame, code, traceback.tb_lasti), []
            else:
                below.append(frame)
            traceback = traceback.tb_next
        return site, below

    def _add(self, place: Place) -> int:
        site = self._by_place.get(place)
        if site is None:
            columns, text = text_at(self._lines, place)
            site = self._by_place[place] = self._writer.add("sites", *columns, self._writer.text(text))
        return site


def place_of(frame: FrameSummary) -> Place:
    """Where a frame of a traceback was."""
    return frame.lineno, frame.end_lineno, frame.colno, frame.end_colno


def place_in(positions: list[Place], frame: FrameType, instruction: int) -> Place:
    """The place of an instruction. A frame computes its line by a search from the first line, so it is read only when
    needed."""
    return positions[instruction // 2] if instruction >= 0 else (frame.f_lineno, None, None, None)


def text_at(lines: Sequence[str], place: Place) -> tuple[tuple[int, int, int, int], str]:
    """A place as in Python's code objects (columns in bytes) as line, column, last line and its column in characters,
    -1 for an unknown line, and the text there."""
    line, end_line, col, end_col = _head(lines, place)
    first, last = line or -1, end_line or line or -1
    start, end = _column(lines, first, col or 0), _column(lines, last, end_col or 0)
    return (first, start, last, end), _text(lines, first, start, last, end) if end_col is not None else ""


def _head(lines: Sequence[str], place: Place) -> Place:
    """The same place, or the first line of a loop or another block: before Python 3.12 all of it is the place of what
    its head does."""
    line, end_line, col, _ = place
    if line is None or line == end_line or not 0 < line <= len(lines):
        return place
    head = _HEAD.fullmatch(lines[line - 1])
    return place if head is None or col is None else (line, line, col, len(head[1].encode()))


def _column(lines: Sequence[str], line: int, col: int) -> int:
    """A column in characters from one in UTF-8 bytes."""
    if not 0 < line <= len(lines):
        return 0
    return len(lines[line - 1].encode()[:col].decode(errors="ignore"))


def _text(all_lines: Sequence[str], line: int, col: int, end_line: int, end_col: int) -> str:
    if not 0 < line <= end_line <= len(all_lines):
        return ""
    lines = [*all_lines[line - 1 : end_line]]
    lines[-1] = lines[-1][:end_col]
    lines[0] = lines[0][col:]
    text = " ".join(" ".join(lines).split())
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


# Fields of an entry, counted from the top of the stack.
WIDTH = 9
KIND, NAME, PLACE, TOTAL, LOOP, VARIABLE, VALUE, COUNT, ROW = range(-WIDTH, 0)
UNKNOWN = -2  # in ROW: nothing has happened there yet
BEGUN = -3  # in ROW: no operation has run there yet, but step BEGUN - ROW was there
BEFORE = -1  # in COUNT: before the first iteration
ENDLESS = -1  # in TOTAL: the number of iterations is unknown
OPEN, CLOSED = -2, -3  # in TOTAL: it is unknown, but the loop looks here before each iteration whether it goes on
LONGEST = 40  # characters of a name
_MOST = 1 << 63  # numbers beyond this size have too many digits to be read

_pack = PACK["regions"]
_MODULE, _LOOP, _ITERATION = int(RegionKind.MODULE), int(RegionKind.LOOP), int(RegionKind.ITERATION)


def entry(kind: RegionKind, name: str, place: Place, total: int = ENDLESS) -> tuple[Any, ...]:
    """What is pushed when a region is entered."""
    return (int(kind), name, place, total, UNKNOWN, "", None, BEFORE, UNKNOWN)


class RegionStack:
    """The stack of one run, and the rows of `regions`."""

    def __init__(self, writer: Writer, sites: Sites) -> None:
        self._writer = writer
        self._sites = sites
        self.stack: list[Any] = Stack([None] * (WIDTH - 1) + [-1])
        self._modules: list[int] = []  # height of the stack when they were entered
        self._places: dict[Place, tuple[int, int]] = {}
        self._rows = writer.rows["regions"]
        self._count = 0

    def enter(self, name: str) -> None:
        """A module is called."""
        self._modules.append(len(self.stack))
        self.stack += (_MODULE, name, self._sites.here(2), ENDLESS, UNKNOWN, "", None, BEFORE, UNKNOWN)

    def exit(self) -> None:
        """The most recent call is over, with everything that began in it."""
        del self.stack[self._modules.pop() :]

    def begin(self, step: int) -> None:
        """A step begins a region in which nothing has happened before."""
        stack = self.stack
        at = len(stack)
        while stack[at + ROW] == UNKNOWN:
            stack[at + ROW] = BEGUN - step
            if stack[at + LOOP] == UNKNOWN:
                stack[at + LOOP] = BEGUN - step
            at -= WIDTH

    def innermost_loop(self) -> int:
        """Height of the stack in the innermost loop, 0 outside all loops."""
        at = len(self.stack)
        while at > WIDTH and self.stack[at + KIND] != _LOOP:
            at -= WIDTH
        return at if at > WIDTH else 0

    def row(self, step: int) -> int:
        """The row of the innermost region, in which `step` is; it is created if necessary."""
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
        called = self._writer.text(iteration_name(count, stack[at + VARIABLE], stack[at + VALUE]))
        return self._write(step, loop, _ITERATION, called, site, count)

    def _write(self, step: int, parent: int, kind: int, name: int, site: int, index: int) -> int:
        row = self._count
        self._count = row + 1
        self._rows += _pack(step, parent, kind, name, site, index)
        return row

    def _place(self, place: Place, name: str) -> tuple[int, int]:
        """The site of a function or loop, and its name: a loop is named after its source."""
        site, source = self._sites.at(place)
        found = self._places[place] = (site, self._writer.text(name or shortened(source)))
        return found


def iteration_name(count: int, variable: str, value: object) -> str:
    """The name of an iteration: "t = 3"."""
    if value is None or (type(value) is int and not -_MOST < value < _MOST):
        return f"iteration {count}"
    text = repr(value[: LONGEST + 1]) if type(value) is str else repr(value)
    return shortened(f"{variable} = {text}")


def shortened(name: str) -> str:
    """A name cut to what fits in a title."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
