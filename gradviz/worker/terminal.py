"""What the command line writes, safe to be shown. A snippet, a file and its name may hold characters that a terminal
obeys, such as those that set its title or fill the clipboard; an escape as Python writes it takes their place, `\\x1b`.

A `Terminal` takes the place of standard output and of standard error, so that whatever is written goes through it, also
a traceback of the program itself. Only lines and tabs are left as they are. What a snippet prints may do as progress
bars do, too: return to the start of the line, go back, move the cursor, erase a line, and set colours (`Printed`).

Note [Not a terminal] It is the same where standard output is a file or a pipe: text from a stranger that is kept there
is shown later, by `cat` or in the log of a server. Two things are exact. `--json` is ASCII, with its own escapes. Code
that `gradviz code` writes into a file is a program, which must stay the same; a sentence says what is in it.

Note [Lost output] Where standard output is closed or full, the command ends with one sentence (`guarded`); with none
where whoever read it has left, as in `gradviz run … | head`. What standard error does not take can be told nowhere.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Callable
from typing import TextIO

UNWRITTEN = 1  # exit statuses
INTERRUPTED = 130
_PARAMETERS = "[0-9;:]{0,40}"
# Colours; the cursor up, down, right, left; erasing the line, from its start or to its end
_MOVES = rf"\x1b\[(?:{_PARAMETERS}m|[0-9]{{0,3}}[ABCD]|[0-2]?K)"
_BEGUN = re.compile(rf"\x1b(?:\[{_PARAMETERS})?\Z")
# C0 except tab and line feed; DEL and C1; characters that change the direction of text
_OBEYED = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_RESET = "\x1b[0m"
_IN_OWN_TEXT = re.compile(rf"\r\n|{_OBEYED}")
_ON_A_PAGE = re.compile(rf"\r\n?|{_MOVES}|{_OBEYED}")
_IN_PRINTED = re.compile(rf"[\b\r]|{_MOVES}|{_OBEYED}")


def visible(text: str) -> str:
    """Return the text with an escape in place of each control character, except lines and tabs."""
    return _IN_OWN_TEXT.sub(lambda found: found[0] if len(found[0]) > 1 else _escape(found[0]), text)


def plain(text: str) -> str:
    """Return what a snippet printed, for a page without colours where nothing moves: each return to the start begins a
    line."""
    return _ON_A_PAGE.sub(lambda found: _on_a_page(found[0]), text)


def _on_a_page(sign: str) -> str:
    if sign[0] == "\r":
        return "\n"
    return _escape(sign) if len(sign) == 1 else ""


def _escape(letter: str) -> str:
    return letter.encode("ascii", "backslashreplace").decode() if letter > "\xff" else f"\\x{ord(letter):02x}"


class Printed:
    """What a snippet prints, piece by piece: an incomplete sequence is held back until it is complete."""

    def __init__(self) -> None:
        self._held = ""
        self._is_coloured = False

    def take(self, text: str) -> str:
        """Return what can be shown of it now."""
        text = self._held + text
        begun = _BEGUN.search(text)
        self._held = begun[0] if begun else ""
        return _IN_PRINTED.sub(self._shown, text[: len(text) - len(self._held)])

    def end(self) -> str:
        """Return what has to be shown before anything else is written: half a sequence, and the end of colours."""
        left = visible(self._held) + (_RESET if self._is_coloured else "")
        self._held, self._is_coloured = "", False
        return left

    def _shown(self, found: re.Match[str]) -> str:
        sign = found[0]
        if len(sign) == 1:
            return sign if sign in "\b\r" else _escape(sign)
        if sign.endswith("m"):
            self._is_coloured = bool(sign.strip("\x1b[0m"))
        return sign


class OutputLost(Exception):
    """Standard output takes no more; the message is a sentence, "" if nothing needs to be said."""

    def __init__(self, error: OSError) -> None:
        gone = error.errno == errno.EPIPE
        why = (error.strerror or str(error)).lower()
        advice = "Write it to a file, or to /dev/null." if error.errno == errno.EBADF else "Write it somewhere else."
        super().__init__("" if gone else f"The output can't be written: {why}. {advice}")


class Terminal:
    """A stream that replaces `sys.stdout` or `sys.stderr`: what the latter does not take may be lost. It has no
    `fileno`, without which no Python colours its tracebacks."""

    def __init__(self, stream: TextIO | None, *, may_be_lost: bool = False) -> None:
        self._stream = stream
        self._may_be_lost = may_be_lost
        self._printed = Printed()
        _never_fail(stream)

    @staticmethod
    def around(stream: TextIO | Terminal | None) -> Terminal:
        """Return the stream itself if it is one."""
        return stream if isinstance(stream, Terminal) else Terminal(stream)

    @property
    def encoding(self) -> str:
        """The encoding of its characters."""
        return self._stream.encoding if self._stream is not None else "utf-8"

    def isatty(self) -> bool:
        """Whether somebody sees its output right now."""
        return self._stream is not None and self._stream.isatty()

    def write(self, text: str) -> int:
        """Write the program's own text."""
        self.exact(self._printed.end() + visible(text))
        return len(text)

    def printed(self, text: str) -> None:
        """Write text that a snippet prints; it has been sent when this returns."""
        self.exact(self._printed.take(text))
        self.flush()

    def end_printed(self) -> None:
        """End a run: the next text continues nothing of it."""
        self.exact(self._printed.end())

    def exact(self, text: str) -> None:
        """Write text unchanged."""
        if text:
            self._try(lambda stream: stream.write(text))

    def flush(self) -> None:
        """Flush what is waiting."""
        if self._stream is not None:
            self._try(lambda stream: stream.flush())

    def _try(self, action: Callable[[TextIO], object]) -> None:
        try:
            if self._stream is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            action(self._stream)
        except OSError as error:
            if self._stream is not None:
                _forget(self._stream)
            if not self._may_be_lost:
                raise OutputLost(error) from error


def _never_fail(stream: TextIO | None) -> None:
    """Write characters that can't be encoded or decoded as escapes."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _forget(stream: TextIO) -> None:
    """Discard what is still waiting in it, so that the end of the program does not try it again."""
    with contextlib.suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def guarded(command: Callable[[], int]) -> int:
    """Run the command with a `Terminal` in place of both streams; return its exit status."""
    _fill_gaps()
    output, errors = Terminal(sys.stdout), Terminal(sys.stderr, may_be_lost=True)
    _never_fail(sys.stdin)
    sys.stdout, sys.stderr = output, errors
    try:
        try:
            return command()
        finally:
            output.flush()
    except OutputLost as lost:
        if str(lost):
            errors.write(f"gradviz: {lost}\n")
        return UNWRITTEN
    except KeyboardInterrupt:
        return INTERRUPTED


def _fill_gaps() -> None:
    """Open closed descriptors from 0 to 2, which would be given to the next file, so that output for the terminal would
    be written there. The null device is opened so that using it as a terminal still fails."""
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
