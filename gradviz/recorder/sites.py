"""The places in a job's own code: in the script that was started, and in the files that it imports from its folder or
from the one it was started in. A step belongs to the line of the script that was running, and, if that had called
another file of the job, to the innermost line there, too."""

from __future__ import annotations

import linecache
import os
import sysconfig
from pathlib import Path
from types import CodeType, FrameType

from gradviz.trace.record.location import Place, Sites, place_in, text_at
from gradviz.trace.table.encoding import Writer

MOST_SOURCE = 1_000_000  # characters of another file; of a longer one only the lines are known
_SCRIPT, _FOREIGN = -2, -1  # instead of the number of a file: the script itself, and what does not belong to the job
_INSTALLED = {"site-packages", "dist-packages"}
_NOT_OWN = (str(Path(__file__).resolve().parents[1]) + os.sep, sysconfig.get_path("stdlib") + os.sep)


class JobSites(Sites):
    """Numbers the places in a script and in the other files of the job."""

    def __init__(self, writer: Writer, source: str, filename: str) -> None:
        super().__init__(writer, source, filename)
        script = os.path.dirname(os.path.abspath(filename))
        self._folders = [os.path.join(each, "") for each in (script, os.getcwd())]
        self._files = {filename: _SCRIPT}
        self._texts: list[list[str]] = []  # by file
        self._elsewhere: dict[tuple[CodeType, int, CodeType | None, int], int] = {}

    def _search(self, start: FrameType, code: CodeType) -> int:
        frame: FrameType | None = start
        inner: FrameType | None = None
        files = self._files
        while frame is not None:
            code = frame.f_code
            name = code.co_filename
            file = files[name] if name in files else self._new(name)
            if file == _SCRIPT:
                if code is self._code and inner is None and (site := self._known.get(frame.f_lasti)) is not None:
                    return site
                break
            if file >= 0 and inner is None:
                inner = frame
            frame = frame.f_back
        if inner is not None:
            return self._within(inner, frame)
        return -1 if frame is None else self._of(frame, code, frame.f_lasti)

    def _new(self, name: str) -> int:
        """The number of a file that is met for the first time."""
        path = os.path.abspath(name)
        folder = next((each for each in self._folders if path.startswith(each)), "")
        is_own = folder and not path.startswith(_NOT_OWN) and name[:1] != "<"
        lines = linecache.getlines(name) if is_own and not _INSTALLED & {*Path(path).parts} else []
        if not lines:
            self._files[name] = _FOREIGN
            return _FOREIGN
        text = "".join(lines)
        shown = Path(path[len(folder) :]).as_posix()
        source = text if len(text) <= MOST_SOURCE else ""
        self._files[name] = number = self._writer.add("files", self._writer.text(shown), self._writer.text(source))
        self._texts.append([line.rstrip("\r\n") for line in lines])
        return number

    def _within(self, inner: FrameType, script: FrameType | None) -> int:
        outer, at = (None, -1) if script is None else (script.f_code, script.f_lasti)
        key = inner.f_code, inner.f_lasti, outer, at
        site = self._elsewhere.get(key)
        if site is None:
            file = self._files[inner.f_code.co_filename]
            columns, text = text_at(self._texts[file], self._place(inner))
            called, _ = text_at(self._lines, (None,) * 4 if script is None else self._place(script))
            site = self._elsewhere[key] = self._writer.add("sites", *called, self._writer.text(text))
            self._writer.add("elsewhere", site, file, *columns)
        return site

    def _place(self, frame: FrameType) -> Place:
        return place_in(self._code_of(frame.f_code)[2], frame, frame.f_lasti)
