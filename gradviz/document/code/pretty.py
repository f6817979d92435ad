"""Text with line breaks where necessary: a small pretty printer (Wadler, "A prettier printer", 1998), which also
reports where each marked part ended up. It knows nothing of Python or of drawings; `spelling` makes its documents."""

from __future__ import annotations

from dataclasses import dataclass

INDENT = 4


@dataclass(frozen=True)
class Line:
    """A place where the line may break; `flat` is its text if it does not."""

    flat: str = " "


@dataclass(frozen=True)
class Group:
    """On one line if it fits; otherwise all its own `Line`s break."""

    doc: Doc


@dataclass(frozen=True)
class Nest:
    """Indented one level more where it breaks."""

    doc: Doc


@dataclass(frozen=True)
class Mark:
    """The text of a node."""

    node: int
    doc: Doc


@dataclass(frozen=True)
class IfBroken:
    """One text if the surrounding group breaks, another if it does not."""

    broken: str
    flat: str = ""


@dataclass(frozen=True)
class Fill:
    """Texts separated by commas, as many per line as fit; there may be 40,000 of them."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class _End:
    """The end of a mark, on the stack of `Printer.write`."""

    slot: int


Doc = str | Line | Group | Nest | Mark | IfBroken | Fill | tuple["Doc", ...]
Stretch = tuple[int, int, int, int, int]  # node, line, column, end line, end column; lines from 1, the end exclusive

SOFT = Line("")
SPACE = Line(" ")


class Printer:
    """Writes documents, one below the other."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.stretches: list[Stretch] = []
        self._parts: list[str] = []
        self._row = 1
        self._col = 0

    @property
    def row(self) -> int:
        """The number of the next line, from 1."""
        return self._row

    @property
    def text(self) -> str:
        """The text written so far."""
        return "".join(self._parts)

    def line(self, text: str = "") -> None:
        """Write one line unchanged."""
        self._put(text)
        self._newline(0)

    def write(self, doc: Doc) -> None:
        """Write a document, with line breaks where it does not fit, and a line ending."""
        stack: list[tuple[int, bool, Doc | _End]] = [(0, True, doc)]  # (indentation, whether lines break, what)
        while stack:
            indent, broken, each = stack.pop()
            match each:
                case str():
                    self._put(each)
                case tuple():
                    stack.extend((indent, broken, part) for part in reversed(each))
                case Line():
                    if broken:
                        self._newline(indent)
                    else:
                        self._put(each.flat)
                case IfBroken():
                    self._put(each.broken if broken else each.flat)
                case Fill():
                    self._fill(each.items, indent if broken else None)
                case Nest():
                    stack.append((indent + INDENT, broken, each.doc))
                case Group():
                    stack.append((indent, broken and not _fits(each.doc, self.width - self._col), each.doc))
                case Mark():
                    stack.append((indent, broken, _End(len(self.stretches))))
                    stack.append((indent, broken, each.doc))
                    self.stretches.append((each.node, self._row, self._col, 0, 0))
                case _End():
                    self.stretches[each.slot] = (*self.stretches[each.slot][:3], self._row, self._col)
        self._newline(0)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._col += len(text)

    def _fill(self, items: tuple[str, ...], indent: int | None) -> None:
        """Write texts separated by commas; on one line if there is no indentation to continue with."""
        parts, col = self._parts, self._col
        for at, item in enumerate(items):
            if at:
                if indent is not None and col + 2 + len(item) > self.width:
                    parts.append(",\n" + " " * indent)
                    self._row, col = self._row + 1, indent
                else:
                    parts.append(", ")
                    col += 2
            parts.append(item)
            col += len(item)
        self._col = col

    def _newline(self, indent: int) -> None:
        self._parts.append("\n" + " " * indent)
        self._row += 1
        self._col = indent


def flat(doc: Doc) -> str:
    """Return the document on one line."""
    parts: list[str] = []
    _fits(doc, 10**9, parts)
    return "".join(parts)


def _fits(doc: Doc, room: int, parts: list[str] | None = None) -> bool:
    stack: list[Doc] = [doc]
    while stack:
        each = stack.pop()
        if isinstance(each, tuple):
            stack.extend(reversed(each))
        elif isinstance(each, str | Line | IfBroken | Fill):
            text = each if isinstance(each, str) else ", ".join(each.items) if isinstance(each, Fill) else each.flat
            room -= len(text)
            if parts is not None:
                parts.append(text)
            if room < 0:
                return False
        else:
            stack.append(each.doc)
    return True


def joined(docs: list[Doc], separator: Doc) -> Doc:
    """Join documents with a separator."""
    parts: list[Doc] = []
    for doc in docs:
        parts += [separator, doc] if parts else [doc]
    return tuple(parts)


def bracketed(opening: str, docs: list[Doc], closing: str, *, trailing: bool = True) -> Doc:
    """Return a list in brackets: on one line, or one item per line."""
    if not docs:
        return opening + closing
    comma = IfBroken(",") if trailing else ""
    return Group((opening, Nest((SOFT, joined([Group(doc) for doc in docs], (",", SPACE)), comma)), SOFT, closing))


def filled(opening: str, items: list[str], closing: str) -> Doc:
    """Return a list of texts in brackets: as many per line as fit."""
    return Group((opening, Nest((SOFT, Fill(tuple(items)))), SOFT, closing))
