"""Where in the snippet something happened: the nearest frame that runs the snippet's own code, and the expression
that it is in."""

from __future__ import annotations

import sys
from types import CodeType, FrameType, TracebackType

from gradviz.trace.encoding import Writer

_getframe = sys._getframe
Place = tuple[int | None, int | None, int | None, int | None]
LONGEST = 200  # characters of source text that are kept


class Sites:
    """Numbers for places in one snippet. A place is (code object, instruction): that is what a frame tells cheaply."""

    def __init__(self, writer: Writer, source: str, filename: str) -> None:
        self._writer = writer
        self._lines = source.splitlines()
        self._filename = filename
        self._code: CodeType | None = None
        self._known: dict[int, int] = {}
        self._by_code: dict[int, tuple[CodeType, dict[int, int], list[Place]]] = {}
        self._by_place: dict[Place, int] = {}

    def here(self, depth: int) -> int:
        """The place of the snippet that is running, -1 when there is none; `depth` frames above may be skipped."""
        frame = _getframe()  # its own: the audit hook of a worker permits no other
        while depth and frame.f_back is not None:
            frame, depth = frame.f_back, depth - 1
        if frame.f_code is self._code:
            site = self._known.get(frame.f_lasti)
            if site is not None:
                return site
        return self._search(frame)

    def at_line(self, line: int) -> int:
        """A place that is only known by its line."""
        return self._add((line, None, None, None))

    def at(self, place: Place) -> tuple[int, str]:
        """A place as Python's code objects write it (columns in bytes), and the text there."""
        line, end_line, col, end_col = place
        first, last = line or -1, end_line or -1
        start, end = self._column(first, col or 0), self._column(last, end_col or 0)
        return self._add(place), self._text(first, start, last, end)

    def _search(self, start: FrameType) -> int:
        frame: FrameType | None = start
        while frame is not None and frame.f_code.co_filename != self._filename:
            frame = frame.f_back
        if frame is None:
            return -1
        return self._of(frame, frame.f_lasti)

    def _of(self, frame: FrameType, instruction: int) -> int:
        code = frame.f_code
        entry = self._by_code.get(id(code))
        if entry is None:  # the code object is kept, so that its id stays its own
            entry = self._by_code[id(code)] = (code, {}, list(code.co_positions()))
        self._code, self._known, positions = entry
        site = self._known.get(instruction)
        if site is None:
            # a frame's own line is looked for from the first line on, so it is not asked without need
            place = positions[instruction // 2] if instruction >= 0 else (frame.f_lineno, None, None, None)
            site = self._known[instruction] = self._add(place)
        return site

    def raised(self, traceback: TracebackType | None) -> tuple[int, list[str]]:
        """The last place of the snippet in a traceback, -1 for none, and the modules whose code was running below."""
        site = -1
        below: list[str] = []
        while traceback is not None:
            frame = traceback.tb_frame
            if frame.f_code.co_filename == self._filename:
                site, below = self._of(frame, traceback.tb_lasti), []
            else:
                below.append(str(frame.f_globals.get("__name__")))
            traceback = traceback.tb_next
        return site, below

    def _add(self, place: Place) -> int:
        site = self._by_place.get(place)
        if site is None:
            line, end_line, col, end_col = place
            first, last = line or -1, end_line or line or -1
            start, end = self._column(first, col or 0), self._column(last, end_col or 0)
            text = self._text(first, start, last, end) if end_col is not None else ""
            site = self._by_place[place] = self._writer.add("sites", first, start, last, end, self._writer.text(text))
        return site

    def _column(self, line: int, col: int) -> int:
        """A column in characters from one in UTF-8 bytes."""
        if not 0 < line <= len(self._lines):
            return 0
        return len(self._lines[line - 1].encode()[:col].decode(errors="ignore"))

    def _text(self, line: int, col: int, end_line: int, end_col: int) -> str:
        if not 0 < line <= end_line <= len(self._lines):
            return ""
        lines = self._lines[line - 1 : end_line]
        lines[-1] = lines[-1][:end_col]
        lines[0] = lines[0][col:]
        return " ".join(" ".join(lines).split())[:LONGEST]
