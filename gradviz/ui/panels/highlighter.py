"""Colours for Python text in the editor: keywords, strings (also over several lines), numbers, comments, the names of
torch. A painter's view of the language, line by line; the parser that counts is Python's own."""

from __future__ import annotations

import builtins
import keyword
import re
from functools import cache

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from gradviz.ui.theme import Theme

_BUILTINS = "|".join(name for name in dir(builtins) if name[0].islower())
_TOKEN = (
    r"""(?P<comment>\#.*)
    |(?P<open>[rRbBfFuU]{0,2}(?P<quote>\"\"\"|'''))
    |(?P<string>[rRbBfFuU]{0,2}(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))
    |(?P<number>\b(?:0[xXbBoO][0-9a-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?j?)|(?<![\w.])\.\d+)
    |(?P<keyword>\b(?:"""
    + "|".join(keyword.kwlist)
    + r""")\b)
    |(?P<builtin>(?<![\w.])(?:torch|nn|F|"""
    + _BUILTINS
    + r""")\b)
    |(?P<name>\w+)"""
)
_QUOTES = ('"""', "'''")


@cache
def _token() -> re.Pattern[str]:
    """Compiled for the first line that has text: the window begins without."""
    return re.compile(_TOKEN, re.VERBOSE)


class PythonHighlighter(QSyntaxHighlighter):
    """Formats one block at a time; the block state says which triple quote is open (0 none, 1 double, 2 single)."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""
        colours = {
            "comment": theme.comment,
            "string": theme.string,
            "number": theme.number,
            "keyword": theme.keyword,
            "builtin": theme.builtin,
        }
        for name, colour in colours.items():
            text_format = QTextCharFormat()
            text_format.setForeground(QColor(colour))
            if name == "keyword":
                text_format.setFontWeight(QFont.Weight.DemiBold)
            self._formats[name] = text_format
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Qt calls this for each line that changed."""
        position = 0
        state = max(self.previousBlockState(), 0)
        while text:
            if state:
                position, state = self._inside_string(text, position, state)
                if state:
                    break
            match = _token().search(text, position)
            if match is None:
                break
            position = match.end()
            if match.lastgroup == "open" or match["open"]:
                self.setFormat(match.start(), match.end() - match.start(), self._formats["string"])
                state = 1 + _QUOTES.index(match["quote"])
            elif match.lastgroup in self._formats:
                self.setFormat(match.start(), match.end() - match.start(), self._formats[match.lastgroup])
        self.setCurrentBlockState(state)

    def _inside_string(self, text: str, position: int, state: int) -> tuple[int, int]:
        """Colour up to the closing quotes; returns where the search goes on and the new state."""
        found = text.find(_QUOTES[state - 1], position)
        end = len(text) if found < 0 else found + 3
        self.setFormat(position, end - position, self._formats["string"])
        return end, (state if found < 0 else 0)
